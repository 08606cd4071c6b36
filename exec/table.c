#include "exec/session.h"

leat_status lt_table_init(lt_table *table, const lt_type *const *types, uint32_t column_count, bool is_merging,
                          lt_arena *arena, lt_account *account, leat_error *err) {
    *table = (lt_table){.column_count = column_count, .version = 1};
    LT_TRY_NEW_ARRAY(table->types, arena, column_count + 1u, err);
    for (uint32_t c = 0; c < column_count; c++) {
        table->types[c] = lt_type_copy(arena, types[c]);
        if (table->types[c] == NULL) return lt_raise_no_memory(err);
    }
    lt_row_set_init(&table->rows, account, is_merging);
    return LEAT_OK;
}

leat_status lt_table_append(lt_table *table, const lt_chunk *chunk, leat_error *err) {
    lt_buffer scratch;
    lt_buffer_init(&scratch, table->rows.account, 0);
    lt_chunk rows      = *chunk;
    rows.places        = NULL;
    leat_status status = lt_row_set_add_chunk(&table->rows, &rows, &table->next_place, &scratch, err);
    lt_buffer_deinit(&scratch);
    table->version++;
    return status;
}

void lt_table_deinit(lt_table *table) {
    if (table->rows.account != NULL) lt_row_set_deinit(&table->rows);
}
