#include "exec/session.h"

leat_status lt_arrow_stream(leat_statement *statement, struct ArrowArrayStream *out, leat_error *err) {
    (void)statement;
    *out = (struct ArrowArrayStream){0};
    return lt_raise(err, LT_NOT_SUPPORTED, NULL, "Arrow streams are not there yet");
}
