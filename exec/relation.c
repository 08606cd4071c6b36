#include "exec/session.h"

#include "base/ascii.h"
#include "exec/parallel.h"
#include "exec/partitions.h"
#include "exec/source_ranges.h"
#include "storage/file_source.h"

// relation: where the rows of a scan come from: sources that decode bytes, tables in memory, tables of standing
// queries, system tables. A scan reads some columns of a relation; others are never made.

// ------------------------------------------------------------------------------------------------------------- options

const char *lt_option_given(const lt_option_values *options, const char *name) {
    for (uint32_t i = 0; i < options->count; i++)
        if (lt_ascii_compare(options->values[i].name, name) == 0) return options->values[i].value;
    return NULL;
}

// ${NAME} in a value stands for leat_options.variable(NAME).
static leat_status expand_variables(leat_session *session, const char *text, const lt_place *place, lt_arena *arena,
                                    const char **out, leat_error *err) {
    *out = text;
    if (strstr(text, "${") == NULL) return LEAT_OK;
    lt_buffer   buffer;
    leat_status status = LEAT_OK;
    lt_buffer_init(&buffer, &session->account, LT_VALUE_BYTES_MAX);
    while (status == LEAT_OK && *text != '\0') {
        const char *start = strstr(text, "${"), *end = start == NULL ? NULL : strchr(start, '}');
        if (end == NULL) {
            status = lt_buffer_append_text(&buffer, text, err);
            break;
        }
        status     = lt_buffer_append(&buffer, text, (size_t)(start - text), err);
        char *name = lt_arena_text(arena, start + 2, (size_t)(end - start - 2));
        if (name == NULL) status = lt_raise_no_memory(err);
        const char *value = status == LEAT_OK && session->options.variable != NULL
                                ? session->options.variable(session->options.user, name)
                                : NULL;
        if (status == LEAT_OK && value == NULL)
            status = lt_raise(err, LT_UNSET_VARIABLE, place, "variable `%s` is not set", name);
        if (status == LEAT_OK) status = lt_buffer_append_text(&buffer, value, err);
        text = end + 1;
    }
    if (status == LEAT_OK) {
        *out = lt_arena_text(arena, buffer.data == NULL ? "" : buffer.data, buffer.bytes);
        if (*out == NULL) status = lt_raise_no_memory(err);
    }
    lt_buffer_deinit(&buffer);
    return status;
}

static leat_status option_value(leat_session *session, const lt_ast_option *option, lt_arena *arena, const char **out,
                                leat_error *err) {
    const lt_ast_expression *value = option->value;
    if (value == NULL) {
        *out = "true";
        return LEAT_OK;
    }
    if (value->kind == LT_AST_LITERAL) {
        switch (value->literal.kind) {
        case LT_AST_LITERAL_TRUE:
            *out = "true";
            return LEAT_OK;
        case LT_AST_LITERAL_FALSE:
            *out = "false";
            return LEAT_OK;
        case LT_AST_LITERAL_NULL:
            *out = "";
            return LEAT_OK;
        default:
            break;
        }
        char *text = lt_arena_text(arena, value->literal.text.text, value->literal.text.bytes);
        if (text == NULL) return lt_raise_no_memory(err);
        return expand_variables(session, text, &value->place, arena, out, err);
    }
    // An interval or a parameter: as its constant's text, of a length of time as options take one.
    lt_bind_context  context;
    lt_evaluation    evaluation = lt_session_evaluation(session);
    const lt_vector *constant;
    lt_bind_context_init(session, NULL, arena, &evaluation, &context);
    LT_TRY(lt_bind_constant(&context, value, NULL, &constant, err));
    if (constant->type->kind == LT_INTERVAL_DAY_TIME && !lt_vector_is_null(constant, 0)) {
        *out = lt_arena_format(arena, "%lld microseconds", (long long)LT_VALUE(constant, int64_t, 0));
        return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
    }
    LT_TRY(lt_bind_constant(&context, value, lt_type_of(LT_STRING), &constant, err));
    if (lt_vector_is_null(constant, 0)) {
        *out = "";
        return LEAT_OK;
    }
    const lt_string *string = &LT_LANES(constant, const lt_string)[0];
    *out                    = lt_arena_text(arena, lt_string_data(string), string->bytes);
    return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

leat_status lt_options_bind(leat_session *session, const lt_ast_options_use *use, lt_arena *arena,
                            lt_option_values *out, leat_error *err) {
    lt_option_value *values;
    uint32_t         count = 0;
    LT_TRY_NEW_ARRAY(values, arena, use->options->count + 1u, err);
    for (uint32_t i = 0; i < use->options->count; i++) {
        const lt_ast_option *option = &use->options->items[i];
        values[count].place         = option->key.place;
        values[count].name          = lt_arena_text(arena, option->key.text, option->key.bytes);
        if (values[count].name == NULL) return lt_raise_no_memory(err);
        LT_TRY(option_value(session, option, arena, &values[count].value, err));
        count++;
    }
    if (use->location != NULL) values[count++] = (lt_option_value){.name = "path", .value = use->location};
    *out = (lt_option_values){.values = values, .count = count};
    return LEAT_OK;
}

static const lt_option stream_options[] = {
    {.name = "connector", .summary = "where the bytes come from: files, stdin, memory, generator"},
    {.name = "format", .summary = "how bytes become rows: json, csv, text"},
    {.name    = "columnNameOfCorruptRecord",
     .initial = "_corrupt_record",
     .summary = "column that takes the raw text of a bad record"},
    {.name    = "finalWindows",
     .words   = "BOOL",
     .initial = "false",
     .summary = "the end of an availableNow run, or of all input, closes what is open"},
    {.name = "idleTimeout", .summary = "without rows for so long the stream holds no watermark back: '30 seconds'"},
    {.name    = "maxWatermarkJump",
     .summary = "a row farther ahead of the watermark goes to leat_late_rows and does not move it: '1 day'"},
    {.name    = "changes",
     .initial = "none",
     .summary =
         "messages tell of changes to rows: op (opColumn says +I, +U, -U, -D), upsert (by key), debezium, weight"},
    {.name    = "opColumn",
     .summary = "column that says whether a row comes or goes; op and debezium: op; weight: weight"},
    {.name = "key", .summary = "columns, with commas, that tell the rows of a stream of changes apart"},
    {.name    = "refresh",
     .words   = "BOOL",
     .initial = "false",
     .summary = "table: standing queries read its files again when they change"},
    {0},
};

leat_status lt_stream_create(leat_session *session, const lt_option_values *options, const char *using_name,
                             bool is_static, lt_catalog_entry *entry, leat_error *err) {
    lt_stream  *stream;
    const char *connector = lt_option_given(options, "connector"), *format = lt_option_given(options, "format");
    LT_TRY_NEW(stream, &entry->arena, err);
    stream->options   = *options;
    stream->is_static = is_static;
    if (using_name != NULL && format == NULL && lt_format_find(using_name) != NULL) format = using_name;
    if (using_name != NULL && connector == NULL && lt_format_find(using_name) == NULL) connector = using_name;
    if (connector == NULL) connector = "files";
    stream->connector = lt_connector_find(connector);
    if (stream->connector == NULL || stream->connector->source == NULL)
        return lt_raise(err, LT_DATA_SOURCE_NOT_FOUND, NULL,
                        "no connector or format `%s` to read from; leat_connectors lists connectors, formats are json, "
                        "csv and text",
                        connector);
    if (format == NULL && stream->connector->source->needs_format) format = "json";
    if (format != NULL) {
        stream->format = lt_format_find(format);
        if (stream->format == NULL)
            return lt_raise(err, LT_DATA_SOURCE_NOT_FOUND, NULL, "no format `%s`; there are json, csv and text",
                            format);
    }
    const lt_option *lists[] = {stream_options, stream->connector->options,
                                stream->format != NULL ? stream->format->options : NULL, NULL};
    LT_TRY(lt_options_check(options, lists, err));
    LT_TRY(lt_change_spec_bind(lt_option_text(options, stream_options, "changes"), lt_option_given(options, "opColumn"),
                               lt_option_given(options, "key"), is_static, entry, err));
    LT_TRY(lt_stream_partition(stream, entry, &entry->arena, err));
    entry->is_refreshed = is_static && lt_option_is_true(options, stream_options, "refresh");
    if (entry->is_refreshed && stream->connector->source != &lt_file_source)
        return lt_raise(err, LT_INVALID_OPTION_VALUE, NULL, "only tables over files can `refresh`");
    entry->event_time.is_final = lt_option_is_true(options, stream_options, "finalWindows");
    LT_TRY(lt_option_interval(options, "idleTimeout", &entry->event_time.idle_us, err));
    LT_TRY(lt_option_interval(options, "maxWatermarkJump", &entry->event_time.jump_us, err));
    LT_TRY_NEW_ARRAY(stream->types, &entry->arena, entry->column_count + 1u, err);
    LT_TRY_NEW_ARRAY(stream->names, &entry->arena, entry->column_count + 1u, err);
    stream->column_count       = entry->column_count - stream->partition_count;
    stream->corrupt_column     = -1;
    const char *corrupt_column = lt_option_text(options, stream_options, "columnNameOfCorruptRecord");
    for (uint32_t c = 0; c < stream->column_count; c++) {
        stream->types[c] = entry->columns[c].type;
        stream->names[c] = entry->columns[c].name;
        if (corrupt_column == NULL || lt_ascii_compare(corrupt_column, entry->columns[c].name) != 0) continue;
        if (entry->columns[c].type->kind != LT_STRING)
            return lt_raise(err, LT_INVALID_CORRUPT_RECORD_TYPE, NULL, "column `%s` for bad records must be STRING",
                            corrupt_column);
        stream->corrupt_column = (int32_t)c;
    }
    if (lt_ascii_compare(connector, "memory") == 0) {
        LT_TRY_NEW(stream->queue, &entry->arena, err);
        lt_row_queue_init(stream->queue, &session->account, stream->types, stream->column_count);
    }
    const char *path = lt_option_given(options, "path");
    entry->origin    = lt_arena_format(&entry->arena, "%s %s", connector, path == NULL ? "" : path);
    if (entry->origin == NULL) return lt_raise_no_memory(err);
    entry->is_filtered_by_reader = stream->format != NULL && stream->format->is_filtering;
    entry->object                = stream;
    if (stream->connector->source->check == NULL) return LEAT_OK;
    lt_evaluation    evaluation = lt_session_evaluation(session);
    lt_decode_target target     = {.types          = stream->types,
                                   .names          = stream->names,
                                   .column_count   = stream->column_count,
                                   .corrupt_column = stream->corrupt_column,
                                   .evaluation     = &evaluation,
                                   .account        = &session->account};
    lt_source_setup  setup      = {.options     = options,
                                   .target      = &target,
                                   .format      = stream->format,
                                   .fs          = &session->fs,
                                   .clock       = session->clock_used,
                                   .stream_name = entry->name,
                                   .input       = session->options.input,
                                   .input_user  = session->options.user,
                                   .queue       = stream->queue,
                                   .is_static   = is_static};
    return stream->connector->source->check(&setup, err);
}

void lt_stream_destroy(leat_session *session, lt_stream *stream) {
    (void)session;
    if (stream != NULL && stream->queue != NULL) lt_row_queue_deinit(stream->queue);
}

// ------------------------------------------------------------------------------------------------------------- sources

leat_status lt_source_give(void *user, const lt_chunk *chunk, leat_error *err) {
    lt_source     *self = user;
    lt_node       *node = self->node;
    const lt_plan *plan = node->plan;
    lt_chunk       out  = {.column_count = plan->column_count, .count = chunk->count, .weights = chunk->weights};
    int64_t       *places;
    LT_TRY_NEW_ARRAY(out.columns, self->batch->scratch, plan->column_count + 1u, err);
    LT_TRY_NEW_ARRAY(places, self->batch->scratch, chunk->count + 1u, err);
    const uint32_t   decoded    = self->stream->column_count;
    const lt_vector *of_folders = NULL;
    if (self->stream->partition_count > 0) LT_TRY(lt_partitions_of_file(self, &of_folders, err));
    for (uint32_t c = 0; c < plan->column_count; c++) {
        const uint32_t column = plan->as.scan.relation_columns[c];
        out.columns[c]        = column < decoded ? chunk->columns[column] : of_folders[column - decoded];
    }
    for (uint32_t row = 0; row < chunk->count; row++) places[row] = self->next_place + row;
    out.places = places;
    self->next_place += chunk->count;
    self->batch_rows += chunk->count;
    if (node->kind->plan_kind == LT_PLAN_TABLE_SCAN)
        LT_TRY(lt_table_scan_give(node, &out, self->batch, err));
    else
        LT_TRY(lt_emit_origin(node, &out, self->batch, err));
    return lt_node_is_satisfied(node) ? LEAT_DONE : LEAT_OK; // DONE ends the read
}

static char *block_text(leat_session *session, const char *text, size_t bytes) {
    if (text == NULL) return NULL;
    char *copy = lt_account_reallocate(&session->account, NULL, 0, bytes + 1);
    if (copy == NULL) return NULL;
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    return copy;
}

void lt_bad_row_keep(leat_session *session, const char *stream, const lt_bad_row *row, int64_t batch_id) {
    lt_bad_row_entry *entry = lt_account_reallocate(&session->account, NULL, 0, sizeof *entry);
    if (entry == NULL) return; // counted all the same
    size_t record_bytes = row->record_bytes < LT_BAD_RECORD_BYTES_MAX ? row->record_bytes : LT_BAD_RECORD_BYTES_MAX;
    *entry =
        (lt_bad_row_entry){.stream   = block_text(session, stream, strlen(stream)),
                           .path     = block_text(session, row->path, row->path == NULL ? 0 : strlen(row->path)),
                           .column   = block_text(session, row->column, row->column == NULL ? 0 : strlen(row->column)),
                           .reason   = block_text(session, row->reason, row->reason == NULL ? 0 : strlen(row->reason)),
                           .record   = block_text(session, row->record, record_bytes),
                           .line     = row->line,
                           .batch_id = batch_id};
    lt_report_rows_add(session, &session->bad_rows, entry);
}

leat_status lt_source_give_bad(void *user, const lt_bad_row *row, leat_error *err) {
    (void)err;
    lt_source *self = user;
    self->bad_rows++;
    lt_bad_row_keep(self->session, self->relation->name, row, self->range.batch_id);
    return LEAT_OK;
}

// Only the columns that the scan reads are made.
static leat_status wanted_columns(lt_source *source, const lt_plan *scan, leat_error *err) {
    if (source->target.is_wanted != NULL || scan->as.scan.relation_columns == NULL) return LEAT_OK;
    bool *wanted;
    LT_TRY_NEW_ARRAY(wanted, &source->arena, source->target.column_count + 1u, err);
    for (uint32_t c = 0; c < scan->column_count; c++)
        if (scan->as.scan.relation_columns[c] < source->target.column_count)
            wanted[scan->as.scan.relation_columns[c]] |= scan->as.scan.needed == NULL || scan->as.scan.needed[c];
    source->target.is_wanted = wanted;
    return LEAT_OK;
}

leat_status lt_source_open(lt_source *source, leat_session *session, const lt_catalog_entry *relation, bool is_static,
                           lt_seen_files *seen_files, bool takes_all, const lt_plan *scan, const lt_plan *above,
                           lt_evaluation *evaluation, lt_account *account, leat_error *err) {
    const lt_stream *stream = relation->object;
    *source = (lt_source){.session = session, .relation = relation, .stream = stream, .evaluation = evaluation};
    lt_arena_init(&source->arena, account);
    lt_arena_init(&source->partition_arena, account);
    source->target = (lt_decode_target){.types          = stream->types,
                                        .names          = stream->names,
                                        .column_count   = stream->column_count,
                                        .corrupt_column = stream->corrupt_column,
                                        .give           = lt_source_give,
                                        .give_bad       = lt_source_give_bad,
                                        .user           = source,
                                        .evaluation     = evaluation,
                                        .account        = account};
    source->setup  = (lt_source_setup){.options          = &stream->options,
                                       .format           = stream->format,
                                       .target           = &source->target,
                                       .fs               = &session->fs,
                                       .clock            = session->clock_used,
                                       .stream_name      = relation->name,
                                       .seen_files       = seen_files,
                                       .watch            = is_static ? NULL : &session->folder_watch,
                                       .input            = session->options.input,
                                       .input_user       = session->options.user,
                                       .prefix           = session->options.input != NULL ? &session->input : NULL,
                                       .queue            = stream->queue,
                                       .random_seed      = session->random_seed,
                                       .is_static        = is_static,
                                       .takes_all        = takes_all,
                                       .wants_file_name  = stream->partition_count > 0,
                                       .reads_partitions = stream->partition_count > 0};
    if (scan != NULL) LT_TRY(wanted_columns(source, scan, err));
    if (scan != NULL) LT_TRY(lt_source_ranges_set(scan, above, &source->arena, &source->target, err));
    source->state = lt_arena_zero(&source->arena, stream->connector->source->state_bytes + 1);
    if (source->state == NULL) return lt_raise_no_memory(err);
    source->is_open = true;
    return stream->connector->source->open(source->state, &source->setup, err);
}

void lt_source_close(lt_source *source) {
    lt_parallel_close(source);
    if (source->is_open) source->stream->connector->source->close(source->state);
    source->is_open = false;
    if (source->arena.account != NULL) lt_arena_deinit(&source->arena);
    if (source->partition_arena.account != NULL) lt_arena_deinit(&source->partition_arena);
}

leat_status lt_source_read(lt_source *source, lt_node *node, lt_batch *batch, leat_error *err) {
    bool has_read = false;
    if (!source->range.has_input) return LEAT_OK;
    leat_status status = lt_partitions_skip_open(source, node->plan, err);
    if (status == LEAT_OK) status = lt_parallel_read(source, node, batch, &has_read, err);
    if (status == LEAT_OK && !has_read) {
        source->node  = node;
        source->batch = batch;
        status        = source->stream->connector->source->read(source->state, &source->range, err);
        source->node  = NULL;
    }
    lt_partitions_skip_close(source);
    return status == LEAT_DONE ? LEAT_OK : status;
}

// All rows of a stream or file table as of now.
static leat_status read_static(leat_session *session, lt_node *node, const lt_catalog_entry *relation, lt_batch *batch,
                               leat_error *err) {
    lt_source        source;
    const lt_stream *stream = relation->object;
    if (!stream->is_static && stream->connector->source->infer == NULL && stream->format == NULL)
        return lt_raise(err, LT_NOT_SUPPORTED, &node->plan->place,
                        "a SELECT cannot read stream `%s`; create a materialized view over it", relation->name);
    // A query that stands may keep the rows of a table as they are, also those that a filter rejects.
    const lt_plan *above  = node->pipeline->is_standing || node->parent == NULL ? NULL : node->parent->plan;
    leat_status    status = lt_source_open(&source, session, relation, true, NULL, true, node->plan, above,
                                           batch->evaluation, node->pipeline->account, err);
    if (status == LEAT_OK) status = stream->connector->source->plan(source.state, 0, NULL, &source.range, err);
    if (status == LEAT_OK) status = lt_source_read(&source, node, batch, err);
    lt_source_close(&source);
    return status;
}

static leat_status read_memory(lt_table *table, lt_node *node, lt_batch *batch, leat_error *err) {
    const lt_plan  *plan = node->plan;
    lt_table_cursor cursor;
    lt_arena        arena; // rows of one chunk; scratch is reset by the emission
    LT_TRY(lt_table_open_cursor(table, lt_table_scan_first_row(node), &cursor, err));
    cursor.has_places = lt_table_scan_is_followed(node);
    lt_arena_init(&arena, node->pipeline->account);
    leat_status status = LEAT_OK;
    while (!lt_node_is_satisfied(node)) {
        lt_chunk rows;
        status = lt_table_next(table, &cursor, plan->as.scan.relation_columns, plan->column_count, &arena, &rows, err);
        if (status != LEAT_OK || rows.count == 0) break;
        status = lt_table_scan_give(node, &rows, batch, err);
        if (status != LEAT_OK) break;
        lt_arena_reset(&arena);
    }
    lt_arena_deinit(&arena);
    return status;
}

leat_status lt_relation_read(void *user, lt_node *node, lt_batch *batch, leat_error *err) {
    leat_session           *session  = user;
    const lt_catalog_entry *relation = node->plan->as.scan.relation;
    switch (relation->kind) {
    case LT_RELATION_MEMORY_TABLE:
        return read_memory(relation->object, node, batch, err);
    case LT_RELATION_QUERY:
        return lt_standing_read(relation->object, node, batch, err);
    case LT_RELATION_SYSTEM:
        return ((const lt_system_table *)relation->system)->rows(session, node, batch, err);
    case LT_RELATION_STREAM:
    case LT_RELATION_FILE_TABLE:
        return read_static(session, node, relation, batch, err);
    default:
        return lt_raise(err, LT_NOT_SUPPORTED, &node->plan->place, "`%s` cannot be selected from", relation->name);
    }
}

// A chain of its own for a presented table: its leaf gives the rows of the table underneath.
typedef struct presenting {
    lt_standing *query;
    lt_node     *node; // scan that wants the rows
    lt_batch    *batch;
} presenting;

static leat_status present_leaf(void *user, lt_node *node, lt_batch *batch, leat_error *err) {
    presenting *self = user;
    return read_memory(&self->query->table, node, batch, err);
}

static leat_status present_give(void *user, const lt_chunk *chunk, lt_batch *batch, leat_error *err) {
    (void)batch;
    presenting    *self = user;
    const lt_plan *plan = self->node->plan;
    lt_chunk       out  = *chunk;
    out.places          = NULL;
    out.column_count    = plan->column_count;
    LT_TRY_NEW_ARRAY(out.columns, batch->scratch, plan->column_count + 1u, err);
    for (uint32_t c = 0; c < plan->column_count; c++)
        out.columns[c] = chunk->columns[plan->as.scan.relation_columns != NULL ? plan->as.scan.relation_columns[c] : c];
    return lt_table_scan_give(self->node, &out, self->batch, err);
}

leat_status lt_standing_read(lt_standing *query, lt_node *node, lt_batch *batch, leat_error *err) {
    if (query->present.root == NULL) return read_memory(&query->table, node, batch, err);
    presenting  self = {.query = query, .node = node, .batch = batch};
    lt_arena    arena, scratch;
    lt_batch    inner    = {.arena = &arena, .scratch = &scratch, .evaluation = batch->evaluation};
    lt_pipeline pipeline = {.account    = node->pipeline->account,
                            .evaluation = batch->evaluation,
                            .give       = present_give,
                            .user       = &self,
                            .read_table = present_leaf};
    lt_arena_init(&arena, pipeline.account);
    lt_arena_init(&scratch, pipeline.account);
    leat_status status = lt_pipeline_open(&pipeline, &query->present, err);
    if (status == LEAT_OK) status = lt_pipeline_run(&pipeline, &inner, err);
    lt_pipeline_close(&pipeline);
    lt_arena_deinit(&arena);
    lt_arena_deinit(&scratch);
    return status;
}

// A chunk of logged changes: all columns, of which the scan takes its own.
static leat_status changes_chunk(const lt_table *table, const lt_plan *scan, lt_reader *in, lt_arena *arena,
                                 lt_chunk *out, leat_error *err) {
    enum { CHANGES_ROWS = 512 };
    lt_chunk rows;
    int64_t *weights, *places;
    LT_TRY(lt_chunk_init(&rows, table->types, table->column_count, CHANGES_ROWS, arena, err));
    LT_TRY_NEW_ARRAY(weights, arena, CHANGES_ROWS, err);
    LT_TRY_NEW_ARRAY(places, arena, CHANGES_ROWS, err);
    for (; in->next < in->end && rows.count < CHANGES_ROWS; rows.count++) {
        const char *bytes;
        size_t      count;
        uint64_t    weight, place;
        LT_TRY(lt_reader_bytes(in, &bytes, &count, err));
        LT_TRY(lt_reader_u64(in, &weight, err));
        LT_TRY(lt_reader_u64(in, &place, err));
        LT_TRY(lt_row_decode(bytes, count, rows.columns, rows.column_count, arena, err));
        weights[rows.count] = (int64_t)weight;
        places[rows.count]  = (int64_t)place;
    }
    *out = (lt_chunk){.column_count = scan->column_count, .count = rows.count, .weights = weights, .places = places};
    LT_TRY_NEW_ARRAY(out->columns, arena, scan->column_count + 1u, err);
    for (uint32_t c = 0; c < scan->column_count; c++) out->columns[c] = rows.columns[scan->as.scan.relation_columns[c]];
    return LEAT_OK;
}

leat_status lt_relation_read_changes(void *user, lt_node *node, uint64_t *position, bool *out_is_known, lt_batch *batch,
                                     leat_error *err) {
    (void)user;
    const lt_catalog_entry *relation = node->plan->as.scan.relation;
    lt_standing            *query    = relation->kind == LT_RELATION_QUERY ? relation->object : NULL;
    lt_reader               in;
    lt_arena                arena;
    *out_is_known = false;
    if (query == NULL || query->present.root != NULL || !query->table.rows.is_merging) return LEAT_OK;
    *out_is_known = lt_table_changes_since(&query->table, position, &in);
    if (!*out_is_known) return LEAT_OK;
    lt_arena_init(&arena, node->pipeline->account);
    leat_status status = LEAT_OK;
    while (status == LEAT_OK && in.next < in.end) {
        lt_chunk changes;
        status = changes_chunk(&query->table, node->plan, &in, &arena, &changes, err);
        if (status == LEAT_OK) status = lt_table_scan_give(node, &changes, batch, err);
        lt_arena_reset(&arena);
    }
    lt_arena_deinit(&arena);
    return status;
}

uint64_t lt_relation_version(void *user, const lt_catalog_entry *relation) {
    (void)user;
    if (relation == NULL) return 0;
    if (relation->kind == LT_RELATION_MEMORY_TABLE) return ((const lt_table *)relation->object)->version;
    if (relation->kind == LT_RELATION_QUERY) return ((const lt_standing *)relation->object)->table.version;
    return 0;
}

static const lt_table *table_of(const lt_catalog_entry *relation) {
    if (relation == NULL) return NULL;
    if (relation->kind == LT_RELATION_MEMORY_TABLE) return relation->object;
    const lt_standing *query = relation->kind == LT_RELATION_QUERY ? relation->object : NULL;
    return query != NULL && query->present.root == NULL ? &query->table : NULL;
}

bool lt_relation_has_grown(void *user, const lt_catalog_entry *relation, uint64_t version, uint64_t *out_rows) {
    (void)user;
    const lt_table *table = table_of(relation);
    if (table == NULL || table->rows.is_merging || table->rewrite_version > version) return false;
    *out_rows = table->segments.row_count;
    return true;
}
