#include "exec/session.h"

#include "storage/publish.h"

#include <strings.h>

// statements_copy: COPY (query or table) TO 'file': one complete file in one atomic step, so that a reading stream
// never sees half.

static const lt_option copy_options[] = {
    {.name = "format", .initial = "json", .summary = "json, csv or text"},
    {0},
};

typedef struct copying {
    leat_session           *session;
    const lt_format        *format;
    const lt_option_values *options;
    const char            **names;
    lt_evaluation          *evaluation;
    lt_buffer               text;
    uint64_t                rows;
} copying;

static leat_status copy_give(void *user, const lt_chunk *chunk, lt_batch *batch, leat_error *err) {
    (void)batch;
    leat_statement *statement = user;
    copying        *self      = statement->collector;
    self->rows += chunk->count;
    return self->format->encode(self->options, self->names, chunk, self->evaluation, &self->text, err);
}

static leat_status publish_copy(leat_session *session, const char *path, const lt_buffer *text, leat_error *err) {
    lt_publish file;
    LT_TRY(lt_publish_open_shared(&file, &session->fs, NULL, path, err));
    leat_status status = lt_publish_append(&file, text->data, text->bytes, err);
    if (status == LEAT_OK) status = lt_publish_commit(&file, err);
    lt_publish_discard(&file);
    return status;
}

leat_status lt_run_copy(leat_statement *statement, leat_error *err) {
    leat_session           *session = statement->session;
    const lt_ast_statement *tree    = statement->tree;
    lt_query_plan           plan;
    lt_finish_use           once = {0};
    lt_option_values        options;
    lt_ast_options_use      use      = {.options = &tree->options};
    lt_ast_query            of_table = {.kind = LT_AST_QUERY_TABLE, .name = tree->name, .place = tree->place};
    LT_TRY(lt_options_bind(session, &use, &statement->result_arena, &options, err));
    const char      *name   = lt_option_text(&options, copy_options, "format");
    const lt_format *format = lt_format_find(name);
    if (format == NULL || format->encode == NULL)
        return lt_raise(err, LT_DATA_SOURCE_NOT_FOUND, &tree->place,
                        "no format `%s` to write; there are json, csv and text", name);
    const lt_option *const lists[] = {copy_options, format->options, NULL};
    LT_TRY(lt_options_check(&options, lists, err));
    LT_TRY(lt_query_plan_bind(session, statement, tree->query != NULL ? tree->query : &of_table, false,
                              &statement->result_arena, &plan, err));
    LT_TRY(lt_plan_finish(&statement->result_arena, &once, &plan, NULL, err));
    copying self = {.session = session, .format = format, .options = &options, .evaluation = &statement->evaluation};
    const lt_type **types;
    LT_TRY_NEW_ARRAY(self.names, &statement->result_arena, plan.root->column_count + 1u, err);
    LT_TRY_NEW_ARRAY(types, &statement->result_arena, plan.root->column_count + 1u, err);
    for (uint32_t c = 0; c < plan.root->column_count; c++) {
        self.names[c] = plan.root->columns[c].name;
        types[c]      = plan.root->columns[c].type;
    }
    lt_buffer_init(&self.text, &session->account, 0);
    leat_statement collector = {.session = session, .collector = &self};
    leat_status    status =
        format->encode_header == NULL
               ? LEAT_OK
               : format->encode_header(&options, self.names, types, plan.root->column_count, &self.text, err);
    if (status == LEAT_OK)
        status = lt_query_run_now(session, &plan, &statement->evaluation, copy_give, &collector, err);
    if (status == LEAT_OK) {
        char *path  = lt_arena_text(&statement->result_arena, tree->path.text, tree->path.bytes);
        char *slash = path == NULL ? NULL : strrchr(path, '/');
        status      = path == NULL ? lt_raise_no_memory(err) : LEAT_OK;
        if (status == LEAT_OK && slash != NULL && slash != path) {
            *slash = '\0';
            status = lt_fs_make_folders(&session->fs, path, err);
            *slash = '/';
        }
        if (status == LEAT_OK) status = publish_copy(session, path, &self.text, err);
    }
    uint64_t rows = self.rows;
    lt_buffer_deinit(&self.text);
    LT_TRY(status);
    return lt_statement_message_set(statement, err, "%llu rows to %.*s", (unsigned long long)rows,
                                    (int)tree->path.bytes, tree->path.text);
}
