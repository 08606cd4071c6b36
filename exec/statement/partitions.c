#include "exec/made_query.h"

#include <stdlib.h>

// partitions: SHOW PARTITIONS: the different values of the columns of PARTITIONED BY, as folders are named.

// k=v/l=w of a row of texts.
static leat_status partition_name(const lt_catalog_column *columns, const lt_segment *segment, uint32_t column_count,
                                  uint32_t row, lt_arena *arena, const char **out, leat_error *err) {
    *out = "";
    for (uint32_t c = 0; c < column_count && *out != NULL; c++) {
        const lt_vector *values = &segment->columns[c];
        const char      *value  = "__HIVE_DEFAULT_PARTITION__";
        size_t           bytes  = strlen(value);
        if (!lt_vector_is_null(values, row)) {
            const lt_string *text = &LT_VALUE(values, lt_string, row);
            value                 = lt_string_data(text);
            bytes                 = text->bytes;
        }
        *out = lt_arena_format(arena, "%s%s%s=%.*s", *out, c == 0 ? "" : "/", columns[c].name, (int)bytes, value);
    }
    return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static int name_compare(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static leat_status partition_rows(leat_statement *statement, const lt_catalog_column *columns, const lt_segments *rows,
                                  leat_error *err) {
    static const char *const names[] = {"partition"};
    const char             **texts;
    size_t                   count = 0;
    LT_TRY_NEW_ARRAY(texts, &statement->result_arena, rows->row_count + 1u, err);
    for (size_t i = 0; i < rows->count; i++)
        for (uint32_t row = 0; row < rows->items[i]->count; row++)
            LT_TRY(partition_name(columns, rows->items[i], rows->column_count, row, &statement->result_arena,
                                  &texts[count++], err));
    if (count > 1) qsort(texts, count, sizeof *texts, name_compare);
    LT_TRY(lt_statement_text_columns(statement, names, 1, err));
    for (size_t i = 0; i < count; i++) LT_TRY(lt_statement_text_row(statement, &texts[i], err));
    return LEAT_OK;
}

leat_status lt_show_partitions(leat_statement *statement, leat_error *err) {
    const char             *name  = lt_ast_names_last(&statement->tree->name);
    const lt_catalog_entry *entry = lt_catalog_find(&statement->session->catalog, name);
    lt_arena               *arena = &statement->result_arena;
    lt_made_query           query;
    lt_segments             rows;
    if (entry == NULL) return lt_relation_missing(statement, name, err);
    if (entry->partition_count == 0)
        return lt_raise(err, LT_INVALID_PARTITION_OPERATION__PARTITION_SCHEMA_IS_EMPTY, &statement->tree->place,
                        "`%s` is not PARTITIONED BY a column", name);
    const lt_catalog_column *columns = entry->columns + (entry->column_count - entry->partition_count);
    LT_TRY(lt_made_query_init(&query, statement, entry->name, entry->partition_count, err));
    for (uint32_t c = 0; c < entry->partition_count; c++) {
        lt_ast_expression *item;
        LT_TRY(lt_made_column(arena, columns[c].name, &item, err));
        LT_TRY(lt_made_cast(arena, item, lt_type_of(LT_STRING), &item, err));
        lt_made_query_add(&query, item);
    }
    query.select->distinct = true;
    leat_status status     = lt_made_query_run(&query, NULL, &rows, err);
    if (status == LEAT_OK) status = partition_rows(statement, columns, &rows, err);
    lt_segments_deinit(&rows);
    return status;
}
