#include "planner/bind/binder.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define STUB(sig, place)                                                                                               \
    leat_status sig { return lt_raise(err, LT_NOT_SUPPORTED, place, "not supported yet"); }
STUB(lt_time_window_bind(lt_binder *b, lt_scope *s, const lt_ast_expression *ast, const char *n, lt_bound *o,
                         leat_error *err),
     &ast->place)
STUB(lt_pivot_bind(lt_binder *b, const lt_ast_relation *ast, lt_frame *f, lt_relation *l, lt_relation *o,
                   leat_error *err),
     &ast->place)
STUB(lt_unpivot_bind(lt_binder *b, const lt_ast_relation *ast, lt_frame *f, lt_relation *l, lt_relation *o,
                     leat_error *err),
     &ast->place)
STUB(lt_sample_apply(lt_binder *b, const lt_ast_sample *sa, lt_relation *r, leat_error *err), NULL)
STUB(lt_pipe_bind(lt_binder *b, const lt_ast_query *ast, lt_frame *f, lt_relation *o, leat_error *err), &ast->place)
STUB(lt_recursive_bind(lt_binder *b, const lt_cte_scope *c, lt_relation *o, leat_error *err), NULL)
