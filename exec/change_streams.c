#include "base/ascii.h"
#include "base/json_writer.h"
#include "exec/session.h"

// change_streams: the options changes, opColumn and key of CREATE STREAM. The columns of the statement are those of the
// rows; what the messages have beside them is added here:
//
//     op        the rows' columns and opColumn       {"op": "+I", "id": 1, "v": 5}
//     upsert    the rows' columns [, opColumn]       {"id": 1, "v": 5}
//     weight    the rows' columns and opColumn       {"weight": -2, "id": 1, "v": 5}
//     debezium  before, after, op                    {"before": null, "after": {"id": 1, "v": 5}, "op": "c"}
//
// A statement without columns takes those of the messages, and the rows' from them. A message that cannot be followed is
// a bad row: the option mode says what becomes of it.

static int32_t column_named(const lt_catalog_column *columns, uint32_t count, const char *name) {
    for (uint32_t c = 0; c < count; c++)
        if (lt_ascii_compare(columns[c].name, name) == 0) return (int32_t)c;
    return -1;
}

static leat_status op_check(const lt_change_spec *spec, const lt_catalog_column *columns, int32_t column,
                            leat_error *err) {
    const bool is_weight = spec->kind == LT_CHANGES_WEIGHT;
    if (column < 0 || columns[column].type->kind == (is_weight ? LT_BIGINT : LT_STRING)) return LEAT_OK;
    if (is_weight)
        return lt_raise(err, LT_INVALID_OPTION_VALUE, NULL, "column `%s`, which has the weight, must be a BIGINT",
                        columns[column].name);
    return lt_raise(err, LT_INVALID_OPTION_VALUE, NULL, "column `%s`, which says what a change is, must be a STRING",
                    columns[column].name);
}

// The messages are the rows with an op among them, or behind them.
static leat_status rows_with_op(lt_catalog_entry *entry, const char *op, leat_error *err) {
    lt_change_spec    *spec  = &entry->changes;
    const uint32_t     count = entry->column_count;
    lt_catalog_column *rows, *messages;
    uint32_t          *sources;
    LT_TRY_NEW_ARRAY(rows, &entry->arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(messages, &entry->arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(sources, &entry->arena, count + 1u, err);
    memcpy(messages, entry->columns, count * sizeof *messages);
    spec->op_column = op == NULL ? -1 : column_named(entry->columns, count, op);
    for (uint32_t c = 0; c < count; c++) {
        if ((int32_t)c == spec->op_column) continue;
        rows[spec->column_count]      = entry->columns[c];
        sources[spec->column_count++] = c;
    }
    if (spec->op_column >= 0 && entry->event_time_column > spec->op_column) entry->event_time_column--;
    if (op != NULL && spec->op_column < 0) {
        spec->op_column                 = (int32_t)entry->column_count;
        messages[entry->column_count++] = (lt_catalog_column){
            .name = op, .type = lt_type_of(spec->kind == LT_CHANGES_WEIGHT ? LT_BIGINT : LT_STRING)};
    }
    spec->columns  = rows;
    spec->sources  = sources;
    entry->columns = messages;
    return op_check(spec, messages, spec->op_column, err);
}

static leat_status debezium_rows(lt_catalog_entry *entry, const lt_type *row, leat_error *err) {
    lt_change_spec    *spec = &entry->changes;
    lt_catalog_column *rows;
    LT_TRY_NEW_ARRAY(rows, &entry->arena, row->field_count + 1u, err);
    for (uint32_t f = 0; f < row->field_count; f++)
        rows[f] = (lt_catalog_column){.name = row->fields[f].name, .type = row->fields[f].type};
    spec->columns      = rows;
    spec->column_count = row->field_count;
    return LEAT_OK;
}

static leat_status debezium_bind(lt_catalog_entry *entry, const char *op, leat_error *err) {
    lt_change_spec *spec  = &entry->changes;
    const int32_t   after = column_named(entry->columns, entry->column_count, "after");
    if (after >= 0 && entry->columns[after].type->kind == LT_STRUCT) {
        const int32_t before = column_named(entry->columns, entry->column_count, "before");
        spec->op_column      = column_named(entry->columns, entry->column_count, op);
        if (before < 0 || spec->op_column < 0 ||
            !lt_type_same_shape(entry->columns[before].type, entry->columns[after].type))
            return lt_raise(err, LT_INVALID_OPTION_VALUE, NULL,
                            "messages of debezium have columns before and after of one type, and `%s`", op);
        spec->before_column = (uint32_t)before;
        spec->after_column  = (uint32_t)after;
        LT_TRY(op_check(spec, entry->columns, spec->op_column, err));
        return debezium_rows(entry, entry->columns[after].type, err);
    }
    lt_field          *fields;
    lt_catalog_column *messages;
    LT_TRY_NEW_ARRAY(fields, &entry->arena, entry->column_count + 1u, err);
    LT_TRY_NEW_ARRAY(messages, &entry->arena, 3, err);
    for (uint32_t c = 0; c < entry->column_count; c++)
        fields[c] = (lt_field){.name = entry->columns[c].name, .type = entry->columns[c].type};
    const lt_type *row = lt_type_struct(&entry->arena, fields, entry->column_count);
    if (row == NULL) return lt_raise_no_memory(err);
    LT_TRY(debezium_rows(entry, row, err));
    messages[0]         = (lt_catalog_column){.name = "before", .type = row};
    messages[1]         = (lt_catalog_column){.name = "after", .type = row};
    messages[2]         = (lt_catalog_column){.name = op, .type = lt_type_of(LT_STRING)};
    spec->before_column = 0;
    spec->after_column  = 1;
    spec->op_column     = 2;
    entry->columns      = messages;
    entry->column_count = 3;
    return LEAT_OK;
}

// "a, b"
static leat_status key_bind(lt_catalog_entry *entry, const char *names, leat_error *err) {
    lt_change_spec *spec = &entry->changes;
    uint32_t       *key;
    LT_TRY_NEW_ARRAY(key, &entry->arena, spec->column_count + 1u, err);
    for (const char *at = names + strspn(names, ", "); *at != '\0'; at += strspn(at, ", ")) {
        const size_t bytes = strcspn(at, ", ");
        const char  *name  = lt_arena_text(&entry->arena, at, bytes);
        if (name == NULL) return lt_raise_no_memory(err);
        const int32_t column = column_named(spec->columns, spec->column_count, name);
        if (column < 0)
            return lt_raise(err, LT_INVALID_OPTION_VALUE, NULL, "key names `%s`, which is no column of `%s`", name,
                            entry->name);
        for (uint32_t k = 0; k < spec->key_count; k++)
            if (key[k] == (uint32_t)column)
                return lt_raise(err, LT_INVALID_OPTION_VALUE, NULL, "key names `%s` twice", name);
        key[spec->key_count++] = (uint32_t)column;
        at += bytes;
    }
    spec->key = key;
    return LEAT_OK;
}

leat_status lt_change_spec_bind(const char *changes, const char *op, const char *key, bool is_static,
                                lt_catalog_entry *entry, leat_error *err) {
    static const char *const kinds[] = {[LT_CHANGES_NONE]     = "none",
                                        [LT_CHANGES_OP]       = "op",
                                        [LT_CHANGES_UPSERT]   = "upsert",
                                        [LT_CHANGES_DEBEZIUM] = "debezium",
                                        [LT_CHANGES_WEIGHT]   = "weight"};
    uint32_t                 kind    = 0;
    while (kind < 5 && lt_ascii_compare(changes, kinds[kind]) != 0) kind++;
    if (kind == 5)
        return lt_raise(err, LT_INVALID_OPTION_VALUE, NULL, "changes is none, op, upsert, debezium or weight, not `%s`",
                        changes);
    if (kind == LT_CHANGES_NONE) {
        if (op == NULL && key == NULL) return LEAT_OK;
        return lt_raise(err, LT_INVALID_OPTION_VALUE, NULL, "opColumn and key go with the option changes");
    }
    if (is_static) return lt_raise(err, LT_INVALID_OPTION_VALUE, NULL, "the option changes goes with CREATE STREAM");
    if (kind == LT_CHANGES_UPSERT && key == NULL)
        return lt_raise(err, LT_MISSING_OPTION, NULL, "changes `upsert` needs the option key");
    if (kind == LT_CHANGES_WEIGHT && key != NULL)
        return lt_raise(err, LT_INVALID_OPTION_VALUE, NULL, "rows with weights are counted; they have no key");
    if (op == NULL && kind == LT_CHANGES_WEIGHT) op = "weight";
    if (op == NULL && kind != LT_CHANGES_UPSERT) op = "op";
    if (op != NULL) op = lt_arena_text(&entry->arena, op, strlen(op));
    if (op == NULL && kind != LT_CHANGES_UPSERT) return lt_raise_no_memory(err);
    entry->changes = (lt_change_spec){.kind = (lt_change_kind)kind};
    LT_TRY(kind == LT_CHANGES_DEBEZIUM ? debezium_bind(entry, op, err) : rows_with_op(entry, op, err));
    return key == NULL ? LEAT_OK : key_bind(entry, key, err);
}

// ------------------------------------------------------------------------------------------------------- bad messages

leat_status lt_change_refuse(leat_session *session, const lt_evaluation *evaluation, const lt_node *scan,
                             const lt_chunk *messages, uint32_t row, const char *reason, int64_t batch_id,
                             leat_error *err) {
    const lt_plan          *plan     = scan->plan;
    const lt_catalog_entry *relation = plan->as.scan.relation;
    const lt_stream        *stream   = relation->object;
    const char             *mode     = lt_option_given(&stream->options, "mode");
    lt_buffer               text;
    lt_json_writer          writer;
    const char            **names;
    if (mode != NULL && lt_ascii_compare(mode, "DROPMALFORMED") == 0) return LEAT_OK;
    if (mode != NULL && lt_ascii_compare(mode, "FAILFAST") == 0)
        return lt_raise(err, LT_INVALID_CHANGE, &plan->place, "%s", reason);
    lt_arena arena;
    lt_arena_init(&arena, &session->account);
    lt_buffer_init(&text, &session->account, 0);
    names              = LT_NEW_ARRAY(&arena, const char *, plan->column_count + 1u);
    leat_status status = names == NULL ? LEAT_NO_MEMORY : lt_json_writer_init(&writer, evaluation, NULL);
    for (uint32_t c = 0; status == LEAT_OK && c < plan->column_count; c++) names[c] = plan->columns[c].name;
    if (status == LEAT_OK)
        status = lt_json_write_object(&writer, names, messages->columns, plan->column_count, row, &text, NULL);
    const lt_bad_row bad = {.reason       = reason,
                            .record       = status == LEAT_OK ? text.data : NULL,
                            .record_bytes = status == LEAT_OK ? text.bytes : 0};
    lt_bad_row_keep(session, relation->name, &bad, batch_id);
    lt_buffer_deinit(&text);
    lt_arena_deinit(&arena);
    return LEAT_OK;
}
