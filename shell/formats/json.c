#include "shell/formats/json_row.h"

// json: one array, a line per object, so that it is one document and still reads line by line.

static void json_begin(lt_result *result) { lt_output_put(result->out, "["); }

static void json_row(lt_result *result) {
    result->line.bytes = 0;
    lt_text_put(&result->line, result->row_count > 1 ? ",\n" : "\n");
    lt_json_row_put(result);
    lt_output_write(result->out, result->line.data, result->line.bytes);
}

static void json_end(lt_result *result) { lt_output_put(result->out, result->row_count > 0 ? "\n]\n" : "]\n"); }

const lt_result_format lt_shell_formats_json = {
    .name    = "json",
    .begin   = json_begin,
    .row     = json_row,
    .end     = json_end,
    .summary = "one array of objects",
};
