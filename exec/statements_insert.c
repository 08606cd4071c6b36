#include "exec/session.h"

#include "exec/append.h"

// statements_insert: INSERT: the whole answer is collected first, so that a failing query changes nothing.

static leat_status insert_into_queue(leat_statement *collector, lt_stream *stream, leat_error *err) {
    lt_row_store *rows = &collector->rows;
    LT_TRY(lt_append_rows(stream->queue, rows->columns, rows->count, &rows->arena, err));
    lt_session_notify(collector->session);
    return LEAT_OK;
}

static leat_status insert_into_table(leat_statement *collector, lt_table *table, bool overwrites, leat_error *err) {
    lt_row_store *rows = &collector->rows;
    if (overwrites) lt_row_set_reset(&table->rows);
    table->version++;
    for (uint32_t first = 0; first < rows->count; first += LT_CHUNK_ROWS_MAX) {
        uint32_t left = rows->count - first, part = left < LT_CHUNK_ROWS_MAX ? left : LT_CHUNK_ROWS_MAX, *numbers;
        lt_chunk chunk;
        LT_TRY_NEW_ARRAY(numbers, &rows->arena, part, err);
        for (uint32_t i = 0; i < part; i++) numbers[i] = first + i;
        LT_TRY(lt_row_store_gather(rows, numbers, part, &rows->arena, &chunk, err));
        LT_TRY(lt_table_append(table, &chunk, err));
    }
    return LEAT_OK;
}

// CHAR(n) is padded to n characters; what is longer than n loses blanks at its end or is refused.
static leat_status fit_length(lt_row_store *rows, uint32_t c, const lt_catalog_column *column, leat_error *err) {
    lt_vector *lanes = &rows->columns[c];
    for (uint32_t row = 0; row < rows->count; row++) {
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
        char *copy = lt_arena_alloc(&rows->arena, bytes + padding + 1u);
        if (copy == NULL) return lt_raise_no_memory(err);
        memcpy(copy, data, bytes);
        memset(copy + bytes, ' ', padding);
        *text = lt_string_view(copy, bytes + padding);
    }
    return LEAT_OK;
}

leat_status lt_run_insert(leat_statement *statement, leat_error *err) {
    leat_session           *session = statement->session;
    const lt_ast_statement *tree    = statement->tree;
    const char             *name    = lt_ast_names_last(&tree->name);
    lt_catalog_entry       *entry   = lt_catalog_find(&session->catalog, name);
    lt_bind_context         context;
    lt_query_plan           plan;
    lt_finish_use           once = {0};
    if (entry == NULL)
        return lt_raise(err, LT_TABLE_OR_VIEW_NOT_FOUND, &tree->name.items[0].place, "no table `%s`", name);
    lt_stream *stream = entry->kind == LT_RELATION_STREAM ? entry->object : NULL;
    if (entry->kind != LT_RELATION_MEMORY_TABLE && (stream == NULL || stream->queue == NULL))
        return lt_raise(err, LT_UNSUPPORTED_FEATURE__TABLE_OPERATION, &tree->name.items[0].place,
                        "`%s` takes no INSERT; only tables in memory and streams of connector memory do", name);
    lt_bind_context_init(session, statement, &statement->result_arena, &statement->evaluation, &context);
    LT_TRY(lt_bind_insert(&context, tree->query, entry, tree->target_columns.items, tree->target_columns.count,
                          tree->by_name, &plan, err));
    LT_TRY(lt_plan_finish(&statement->result_arena, &once, &plan, NULL, err));
    const lt_type **types;
    LT_TRY_NEW_ARRAY(types, &statement->result_arena, plan.root->column_count + 1u, err);
    for (uint32_t c = 0; c < plan.root->column_count; c++) types[c] = plan.root->columns[c].type;
    leat_statement collector = {.session = session};
    LT_TRY(lt_row_store_init(&collector.rows, types, plan.root->column_count, &session->account, err));
    leat_status status = lt_query_run_now(session, &plan, &statement->evaluation, lt_statement_give, &collector, err);
    if (status != LEAT_OK && err != NULL && err->condition == LT_CAST_OVERFLOW)
        err->condition = LT_CAST_OVERFLOW_IN_TABLE_INSERT;
    for (uint32_t c = 0; status == LEAT_OK && c < entry->column_count; c++)
        if (entry->columns[c].type->length > 0) status = fit_length(&collector.rows, c, &entry->columns[c], err);
    uint32_t count = collector.rows.count;
    if (status == LEAT_OK)
        status = stream != NULL ? insert_into_queue(&collector, stream, err)
                                : insert_into_table(&collector, entry->object, tree->overwrite, err);
    lt_row_store_deinit(&collector.rows);
    LT_TRY(status);
    return lt_statement_message_set(statement, err, "%u rows", count);
}
