// json_row: a row as one JSON object, shared by json and jsonl.
#ifndef LT_SHELL_FORMATS_JSON_ROW_H
#define LT_SHELL_FORMATS_JSON_ROW_H

#include "shell/result.h"

static inline void lt_json_row_put(lt_result *result) {
    lt_text_append(&result->line, "{", 1);
    for (uint32_t c = 0; c < result->column_count; c++) {
        size_t      bytes;
        const char *name = leat_column_name(result->statement, c, &bytes);
        if (c > 0) lt_text_append(&result->line, ",", 1);
        lt_text_put_json(&result->line, name, bytes);
        lt_text_append(&result->line, ":", 1);
        if (leat_column_is_null(result->statement, c)) {
            lt_text_put(&result->line, "null");
            continue;
        }
        const char *value = leat_column_json(result->statement, c, &bytes);
        lt_text_append(&result->line, value, bytes);
    }
    lt_text_append(&result->line, "}", 1);
}

#endif
