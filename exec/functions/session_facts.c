// typeof, version, current_user, current_catalog, current_database, input_file_name and _block, spark_partition_id,
// monotonically_increasing_id: facts about values, the session and the batch. Source: Spark SQL 4.
#include "exec/nested.h"

static leat_status put_all(lt_call *call, const char *text, leat_error *err) {
    LT_EACH_ROW(call, row) LT_TRY(lt_call_put_text(call, row, text, strlen(text), err));
    return LEAT_OK;
}

static leat_status typeof_evaluate(lt_call *call, leat_error *err) {
    lt_buffer text;
    lt_buffer_init(&text, call->arena->account, 0);
    leat_status status = lt_type_print_simple(call->arguments[0]->type, &text, err);
    if (status == LEAT_OK) status = put_all(call, text.data, err);
    lt_buffer_deinit(&text);
    return status;
}

static leat_status version_evaluate(lt_call *call, leat_error *err) {
    const char *text = lt_arena_format(call->arena, "4.0.0 leat %s", leat_version());
    return text == NULL ? lt_raise_no_memory(err) : put_all(call, text, err);
}
static leat_status user_evaluate(lt_call *call, leat_error *err) {
    return put_all(call, call->evaluation->current_user != NULL ? call->evaluation->current_user : "user", err);
}
static leat_status catalog_evaluate(lt_call *call, leat_error *err) { return put_all(call, "spark_catalog", err); }
static leat_status database_evaluate(lt_call *call, leat_error *err) {
    return put_all(call, call->evaluation->current_schema != NULL ? call->evaluation->current_schema : "default", err);
}
static leat_status file_evaluate(lt_call *call, leat_error *err) {
    return put_all(call, call->evaluation->file_name != NULL ? call->evaluation->file_name : "", err);
}
static leat_status block_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    LT_EACH_ROW(call, row) LT_LANES(call->result, int64_t)[row] = -1;
    return LEAT_OK;
}
static leat_status partition_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    LT_EACH_ROW(call, row) LT_LANES(call->result, int32_t)[row] = 0;
    return LEAT_OK;
}

typedef struct id_state {
    int64_t next;
} id_state;
static leat_status id_evaluate(lt_call *call, leat_error *err) {
    id_state *self = call->state;
    (void)err;
    LT_EACH_ROW(call, row) LT_LANES(call->result, int64_t)[row] = self->next++;
    return LEAT_OK;
}

#define TEXT_FACT(fact_name, evaluator, shown, what, result)                                                           \
    {                                                                                                                  \
        .name = fact_name, .returns = LT_STRING, .is_null_aware = true, .evaluate = evaluator, .display = shown,       \
        .summary = what, .example = "SELECT " fact_name "()", .example_result = result                                 \
    }

const lt_function lt_functions_session_facts[] = {
    {.name           = "typeof",
     .takes          = {LT_TAKES_ANY},
     .returns        = LT_STRING,
     .is_null_aware  = true,
     .evaluate       = typeof_evaluate,
     .summary        = "The type of a value as text.",
     .example        = "SELECT typeof(array(1))",
     .example_result = "array<int>"},
    TEXT_FACT("version", version_evaluate, NULL, "The version of the dialect and of leat.", NULL),
    TEXT_FACT("current_user", user_evaluate, NULL, "The user of the session.", NULL),
    TEXT_FACT("user", user_evaluate, NULL, "The same as current_user.", NULL),
    TEXT_FACT("session_user", user_evaluate, NULL, "The same as current_user.", NULL),
    TEXT_FACT("current_catalog", catalog_evaluate, NULL, "The name of the catalog.", "spark_catalog"),
    TEXT_FACT("current_database", database_evaluate, "current_schema()", "The name of the schema.", "default"),
    TEXT_FACT("current_schema", database_evaluate, NULL, "The name of the schema.", "default"),
    {.name                = "input_file_name",
     .returns             = LT_STRING,
     .is_null_aware       = true,
     .is_nondeterministic = true,
     .evaluate            = file_evaluate,
     .summary             = "The file that a row comes from, or an empty text.",
     .example             = "SELECT input_file_name()",
     .example_result      = ""},
    {.name                = "input_file_block_start",
     .returns             = LT_BIGINT,
     .is_null_aware       = true,
     .is_nondeterministic = true,
     .evaluate            = block_evaluate,
     .summary        = "Where the block of the file begins that a row comes from: always -1, files have no blocks.",
     .example        = "SELECT input_file_block_start()",
     .example_result = "-1"},
    {.name                = "input_file_block_length",
     .returns             = LT_BIGINT,
     .is_null_aware       = true,
     .is_nondeterministic = true,
     .evaluate            = block_evaluate,
     .summary             = "How long the block of the file is that a row comes from: always -1.",
     .example             = "SELECT input_file_block_length()",
     .example_result      = "-1"},
    {.name                = "spark_partition_id",
     .returns             = LT_INT,
     .is_null_aware       = true,
     .is_nondeterministic = true,
     .evaluate            = partition_evaluate,
     .display             = "SPARK_PARTITION_ID()",
     .summary             = "The partition of a row: always 0.",
     .example             = "SELECT spark_partition_id()",
     .example_result      = "0"},
    {.name                = "monotonically_increasing_id",
     .returns             = LT_BIGINT,
     .is_null_aware       = true,
     .is_nondeterministic = true,
     .evaluate            = id_evaluate,
     .state_bytes         = sizeof(id_state),
     .summary             = "Numbers that grow from row to row.",
     .example             = "SELECT monotonically_increasing_id()",
     .example_result      = "0"},
    {0},
};
