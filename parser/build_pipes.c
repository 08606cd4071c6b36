#include "parser/build_node.h"

static lt_ast_pipe_step *step_new(lt_builder *b, lt_ast_pipe_step content) {
    lt_ast_pipe_step *step = NEW(b, lt_ast_pipe_step);
    *step                  = content;
    return step;
}

lt_ast_pipe_step *lt_build_pipe_where(lt_builder *b, lt_ast_expression *e) {
    return step_new(b, (lt_ast_pipe_step){.kind = LT_AST_PIPE_WHERE, .expression = e});
}

lt_ast_pipe_step *lt_build_pipe_select(lt_builder *b, const lt_token *begin, int quantifier, const lt_ast_items *items,
                                       const lt_ast_named_windows *windows) {
    lt_ast_select *select = NEW(b, lt_ast_select);
    select->distinct      = quantifier == 2;
    select->all_written   = quantifier == 1;
    select->items         = *items;
    select->place         = begin->place;
    if (windows != NULL) select->windows = *windows;
    return step_new(b, (lt_ast_pipe_step){.kind = LT_AST_PIPE_SELECT, .select = select});
}

lt_ast_pipe_step *lt_build_pipe_items(lt_builder *b, lt_ast_pipe_kind kind, const lt_ast_items *items,
                                      const lt_ast_group_by *group_by) {
    lt_ast_pipe_step *step = step_new(b, (lt_ast_pipe_step){.kind = kind});
    if (items != NULL) step->items = *items;
    if (group_by != NULL) step->group_by = *group_by;
    return step;
}

lt_ast_pipe_step *lt_build_pipe_names(lt_builder *b, lt_ast_pipe_kind kind, const lt_ast_names *names) {
    return step_new(b, (lt_ast_pipe_step){.kind = kind, .names = *names});
}

lt_ast_pipe_step *lt_build_pipe_relation(lt_builder *b, lt_ast_relation *relation) {
    return step_new(b, (lt_ast_pipe_step){.kind = LT_AST_PIPE_JOIN, .relation = relation});
}

lt_ast_pipe_step *lt_build_pipe_sample(lt_builder *b, lt_ast_sample *sample) {
    return step_new(b, (lt_ast_pipe_step){.kind = LT_AST_PIPE_SAMPLE, .sample = sample});
}

lt_ast_pipe_step *lt_build_pipe_set(lt_builder *b, lt_ast_set_operator operator, bool all, lt_ast_query *query) {
    return step_new(
        b, (lt_ast_pipe_step){.kind = LT_AST_PIPE_SET_OPERATION, .set_operator = operator, .all = all, .query = query});
}

lt_ast_pipe_step *lt_build_pipe_organization(lt_builder *b, const lt_ast_organization *organization) {
    return step_new(b, (lt_ast_pipe_step){.kind = LT_AST_PIPE_ORGANIZATION, .organization = *organization});
}

lt_ast_pipe_step *lt_build_pipe_windows(lt_builder *b, const lt_ast_named_windows *windows) {
    return step_new(b, (lt_ast_pipe_step){.kind = LT_AST_PIPE_WINDOW, .windows = *windows});
}
