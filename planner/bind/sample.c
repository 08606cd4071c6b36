#include "planner/bind/binder.h"

// TABLESAMPLE: a number of rows, or a share of them drawn by rand() with a seed, so that the same rows come each time.

static leat_status number_of(lt_binder *binder, const lt_ast_expression *ast, double *out, leat_error *err) {
    lt_relation          none  = {0};
    lt_scope             scope = {.clause = LT_CLAUSE_OTHER, .relation = &none};
    lt_bound             bound;
    const lt_expression *value;
    LT_TRY(lt_bind_expression(binder, &scope, ast, &bound, err));
    LT_TRY(lt_cast_to(binder, bound.expression, lt_type_of(LT_DOUBLE), &value, err));
    if (value->kind != LT_EXPRESSION_LITERAL || lt_vector_is_null(value->value, 0))
        return lt_raise(err, LT_INVALID_LIMIT_LIKE_EXPRESSION__IS_UNFOLDABLE, &ast->place,
                        "the size of a sample is a constant number");
    *out = LT_VALUE(value->value, double, 0);
    return LEAT_OK;
}

static leat_status share_apply(lt_binder *binder, double share, int64_t seed, const lt_place *place,
                               lt_relation *relation, leat_error *err) {
    lt_bound   seed_bound  = {.text = "", .size = 1, .depth = 1};
    lt_bound   share_bound = {.text = "", .size = 1, .depth = 1};
    lt_bound   random;
    lt_bound   below;
    lt_vector *vector;
    if (share >= 1) return LEAT_OK;
    LT_TRY_NEW(vector, binder->arena, err);
    LT_TRY(lt_vector_init_constant_null(vector, lt_type_of(LT_DOUBLE), binder->arena, err));
    LT_LANES(vector, double)[0] = share;
    lt_vector_set_valid(vector, 0);
    share_bound.expression = lt_expression_literal(binder->arena, vector, place);
    if (share_bound.expression == NULL) return lt_raise_no_memory(err);
    LT_TRY(lt_literal_int64(binder, LT_BIGINT, seed, &seed_bound.expression, err));
    LT_TRY(lt_call_bind(binder, "rand", &seed_bound, 1, NULL, place, &random, err));
    LT_TRY(lt_compare_bind(binder, "<", &random, &share_bound, place, &below, err));
    return lt_plan_filter(binder, relation->plan, below.expression, &relation->plan, err);
}

leat_status lt_sample_apply(lt_binder *binder, const lt_ast_sample *sample, lt_relation *relation, leat_error *err) {
    double size;
    double total = 100;
    double seed  = 0;
    LT_TRY(number_of(binder, sample->size, &size, err));
    if (sample->seed != NULL) LT_TRY(number_of(binder, sample->seed, &seed, err));
    if (sample->kind == LT_AST_SAMPLE_ROWS) {
        lt_plan *limit;
        if (size < 0)
            return lt_raise(err, LT_INVALID_LIMIT_LIKE_EXPRESSION__IS_NEGATIVE, &sample->size->place,
                            "a sample cannot have a negative number of rows");
        LT_TRY(lt_plan_over(binder, LT_PLAN_LIMIT, relation->plan, &limit, err));
        limit->as.limit.limit = (int64_t)size;
        relation->plan        = limit;
        return LEAT_OK;
    }
    if (sample->kind == LT_AST_SAMPLE_BUCKET) LT_TRY(number_of(binder, sample->total, &total, err));
    if (size < 0 || total <= 0 || size > total)
        return lt_raise(err, LT_LEGACY_ERROR_TEMP_0064, &sample->size->place, "a sample is a share between 0 and 1");
    return share_apply(binder, size / total, (int64_t)seed, &sample->size->place, relation, err);
}
