#include "shell/formats/json_row.h"

// jsonl: JSON Lines, an object a line; what the json source reads back.

static void jsonl_begin(lt_result *result) { (void)result; }

static void jsonl_row(lt_result *result) {
    lt_json_row_put(result);
    lt_text_append(&result->line, "\n", 1);
    lt_result_lines_put(result, false);
}

static void jsonl_end(lt_result *result) { lt_result_lines_put(result, true); }

const lt_result_format lt_shell_formats_jsonl = {
    .name    = "jsonl",
    .begin   = jsonl_begin,
    .row     = jsonl_row,
    .end     = jsonl_end,
    .summary = "an object a line; the default of EMIT CHANGES off a terminal",
};
