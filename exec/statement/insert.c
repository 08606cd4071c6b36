#include "exec/session.h"

#include "exec/host/append.h"

// insert: INSERT: the whole answer is collected first, so that a failing query changes nothing.

static leat_status insert_into_queue(leat_statement *collector, lt_stream *stream, leat_error *err) {
    lt_row_queue      *queue = stream->queue;
    const lt_segments *rows  = &collector->rows;
    uint64_t           end   = queue->end_offset;
    lt_arena           arena;
    lt_arena_init(&arena, &collector->session->account);
    leat_status status = LEAT_OK;
    for (uint64_t first = 0; status == LEAT_OK && first < rows->row_count;) {
        lt_chunk chunk;
        status = lt_segments_view(rows, first, LT_CHUNK_ROWS_MAX, NULL, rows->column_count, &arena, &chunk, err);
        if (status == LEAT_OK) status = lt_row_queue_append(queue, &chunk, err);
        first += chunk.count;
        lt_arena_reset(&arena);
    }
    lt_arena_deinit(&arena);
    if (status != LEAT_OK) lt_row_queue_truncate(queue, end);
    lt_session_notify(collector->session);
    return status;
}

// CHAR(n) is padded to n characters; what is longer than n loses blanks at its end or is refused.
static leat_status fit_length(lt_segment *segment, uint32_t c, const lt_catalog_column *column, leat_error *err) {
    lt_vector *lanes = &segment->columns[c];
    for (uint32_t row = 0; row < segment->count; row++) {
        if (lt_vector_is_null(lanes, row)) continue;
        lt_string  *text  = &LT_LANES(lanes, lt_string)[row];
        const char *data  = lt_string_data(text);
        uint32_t    bytes = text->bytes, characters = 0;
        for (uint32_t i = 0; i < bytes; i++) characters += (data[i] & 0xc0) != 0x80;
        while (characters > column->type->length && bytes > 0 && data[bytes - 1] == ' ') bytes--, characters--;
        if (characters > column->type->length)
            return lt_raise(err, LT_EXCEED_LIMIT_LENGTH, NULL,
                            "a value of column `%s` has %u characters, at most %u are allowed", column->name,
                            characters, column->type->length);
        uint32_t padding = column->type->is_char ? column->type->length - characters : 0;
        if (bytes == text->bytes && padding == 0) continue;
        char *copy = lt_arena_alloc(&segment->arena, bytes + padding + 1u);
        if (copy == NULL) return lt_raise_no_memory(err);
        memcpy(copy, data, bytes);
        memset(copy + bytes, ' ', padding);
        *text = lt_string_view(copy, bytes + padding);
    }
    return LEAT_OK;
}

static leat_status fit_lengths(lt_segments *rows, const lt_catalog_entry *entry, leat_error *err) {
    for (uint32_t c = 0; c < entry->column_count; c++)
        for (size_t i = 0; entry->columns[c].type->length > 0 && i < rows->count; i++)
            LT_TRY(fit_length(rows->items[i], c, &entry->columns[c], err));
    return LEAT_OK;
}

static leat_status insert_into_table(lt_table *table, lt_segments *rows, bool overwrites, leat_error *err) {
    if (overwrites) lt_table_reset(table);
    return lt_table_take(table, rows, NULL, err);
}

leat_status lt_insert_bind(leat_statement *statement, const lt_ast_statement *tree, lt_query_plan *out_plan,
                           lt_catalog_entry **out_entry, leat_error *err) {
    leat_session     *session = statement->session;
    const char       *name    = lt_ast_names_last(&tree->name);
    lt_catalog_entry *entry   = lt_catalog_find(&session->catalog, name);
    lt_bind_context   context;
    if (entry == NULL) return lt_relation_missing(statement, name, err);
    const lt_stream *stream = entry->kind == LT_RELATION_STREAM ? entry->object : NULL;
    if (entry->kind != LT_RELATION_MEMORY_TABLE && (stream == NULL || stream->queue == NULL))
        return lt_raise(err, LT_UNSUPPORTED_FEATURE__TABLE_OPERATION, &tree->name.items[0].place,
                        "`%s` takes no INSERT; only tables in memory and streams of connector memory do", name);
    if (stream != NULL && (tree->overwrite || tree->where != NULL))
        return lt_raise(err, LT_UNSUPPORTED_FEATURE__TABLE_OPERATION, &tree->name.items[0].place,
                        "rows of the stream `%s` cannot be replaced", name);
    lt_bind_context_init(session, statement, &statement->result_arena, &statement->evaluation, &context);
    *out_entry = entry;
    return lt_bind_insert(&context, tree->query, entry, tree->target_columns.items, tree->target_columns.count,
                          tree->by_name, tree->where, out_plan, err);
}

leat_status lt_run_insert(leat_statement *statement, leat_error *err) {
    leat_session           *session = statement->session;
    const lt_ast_statement *tree    = statement->tree;
    lt_catalog_entry       *entry;
    lt_query_plan           plan;
    lt_finish_use           once = {0};
    LT_TRY(lt_insert_bind(statement, tree, &plan, &entry, err));
    LT_TRY(lt_plan_finish(&statement->result_arena, &once, &plan, NULL, err));
    lt_stream            *stream = entry->kind == LT_RELATION_STREAM ? entry->object : NULL;
    lt_table             *table  = stream == NULL ? entry->object : NULL;
    const lt_type *const *types  = stream != NULL ? stream->types : table->types;
    lt_assert(plan.root->column_count == entry->column_count);
    leat_statement collector = {.session = session};
    lt_segments_init(&collector.rows, types, entry->column_count, &session->account);
    leat_status status = lt_query_run_now(session, &plan, &statement->evaluation, lt_statement_give, &collector, err);
    if (status != LEAT_OK && err != NULL && err->condition == LT_CAST_OVERFLOW)
        err->condition = LT_CAST_OVERFLOW_IN_TABLE_INSERT;
    if (status == LEAT_OK) status = fit_lengths(&collector.rows, entry, err);
    uint64_t count = collector.rows.row_count;
    if (status == LEAT_OK)
        status = stream != NULL
                     ? insert_into_queue(&collector, stream, err)
                     : insert_into_table(table, &collector.rows, tree->overwrite || tree->where != NULL, err);
    lt_segments_deinit(&collector.rows);
    LT_TRY(status);
    return lt_statement_message_set(statement, err, "%llu rows", (unsigned long long)count);
}
