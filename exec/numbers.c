#include "exec/numbers.h"

#include "base/cast.h"

static const lt_type *wider_integer(const lt_type *a, const lt_type *b) { return a->kind > b->kind ? a : b; }

// What an integer beside a DECIMAL becomes: a literal counts its own digits (not a TINYINT), anything else those of its
// type.
static const lt_type *integer_as_decimal(const lt_resolution *resolution, uint32_t argument) {
    const lt_type   *type  = resolution->types[argument];
    lt_decimal_shape shape = lt_decimal_shape_of_kind(type->kind);
    const lt_vector *value = resolution->constants == NULL ? NULL : resolution->constants[argument];
    bool is_literal = type->kind != LT_TINYINT && resolution->is_literal != NULL && resolution->is_literal[argument];
    if (is_literal && value != NULL && !lt_vector_is_null(value, 0)) {
        int64_t number = type->kind == LT_SMALLINT ? LT_VALUE(value, int16_t, 0)
                         : type->kind == LT_INT    ? LT_VALUE(value, int32_t, 0)
                                                   : LT_VALUE(value, int64_t, 0);
        shape          = lt_decimal_shape_of_int(number);
    }
    return lt_type_decimal(resolution->arena, shape.precision, shape.scale);
}

static lt_operands both(const lt_type *type) { return (lt_operands){type->kind, type, type}; }

static bool operands_of_numbers(const lt_resolution *resolution, lt_operands *out) {
    const lt_type *left = resolution->types[0], *right = resolution->types[1];
    if (left->kind == LT_DECIMAL && right->kind == LT_DECIMAL) {
        *out = (lt_operands){LT_DECIMAL, left, right};
    } else if (left->kind == LT_FLOAT && right->kind == LT_FLOAT) {
        *out = both(left);
    } else if (lt_kind_is_fractional(left->kind) || lt_kind_is_fractional(right->kind)) {
        *out = both(lt_type_of(LT_DOUBLE));
    } else if (left->kind == LT_DECIMAL) {
        *out = (lt_operands){LT_DECIMAL, left, integer_as_decimal(resolution, 1)};
    } else if (right->kind == LT_DECIMAL) {
        *out = (lt_operands){LT_DECIMAL, integer_as_decimal(resolution, 0), right};
    } else {
        *out = both(wider_integer(left, right));
    }
    return true;
}

bool lt_operands_find(const lt_resolution *resolution, lt_operands *out) {
    const lt_type *left = resolution->types[0], *right = resolution->types[1];
    bool           is_left = lt_kind_is_numeric(left->kind), is_right = lt_kind_is_numeric(right->kind);
    if (is_left && is_right) return operands_of_numbers(resolution, out);
    if (left->kind == LT_VOID && right->kind == LT_VOID) {
        *out = both(lt_type_of(LT_DOUBLE));
        return true;
    }
    if (!is_left && !is_right) return false; // a text beside a NULL stays a text
    const lt_type *number = is_left ? left : right, *other = is_left ? right : left;
    if (other->kind == LT_VOID) {
        *out = both(number);
        return true;
    }
    if (other->kind != LT_STRING) return false;
    *out = both(lt_type_of(lt_kind_is_integral(number->kind) ? LT_BIGINT : LT_DOUBLE));
    return true;
}

leat_status lt_resolve_operands(lt_resolution *resolution, lt_kind wanted, const lt_type *result, lt_shape_rule shape,
                                leat_error *err) {
    lt_operands operands;
    if (!lt_operands_find(resolution, &operands) || operands.kind != wanted) return LEAT_DONE;
    if (operands.left == NULL || operands.right == NULL) return lt_raise_no_memory(err);
    resolution->types[0] = operands.left;
    resolution->types[1] = operands.right;
    resolution->result   = result;
    if (result != NULL) return LEAT_OK;
    lt_decimal_shape found = shape(lt_decimal_shape_of(operands.left), lt_decimal_shape_of(operands.right));
    resolution->result     = lt_type_decimal(resolution->arena, found.precision, found.scale);
    return resolution->result == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

leat_status lt_call_lanes(const lt_call *call, lt_lanes *out, leat_error *err) {
    const lt_type **types;
    LT_TRY_NEW_ARRAY(types, call->arena, call->argument_count, err);
    *out = (lt_lanes){
        .results = call->result->values, .count = call->count, .types = types, .result_type = call->result->type};
    for (uint32_t a = 0; a < call->argument_count && a < LT_TAKES_MAX; a++) {
        out->values[a] = call->arguments[a]->values;
        out->steps[a]  = call->arguments[a]->form == LT_CONSTANT ? 0 : 1;
        types[a]       = call->arguments[a]->type;
    }
    LT_TRY_NEW_ARRAY(out->failed, call->arena, call->count + 1u, err);
    return LEAT_OK;
}

leat_status lt_call_try_kernel(lt_call *call, lt_kernel kernel, lt_kind operand, leat_error *err) {
    const lt_vector *arguments[2] = {call->arguments[0], call->arguments[1]};
    for (int a = 0; a < 2; a++)
        if (arguments[a]->type->kind == LT_STRING)
            LT_TRY(lt_cast_run(call->arguments[a], lt_type_of(operand), call->rows, call->row_count, call->count, true,
                               call->arena, call->evaluation, &call->place, &arguments[a], err));
    lt_call  inner = *call;
    lt_lanes lanes;
    inner.arguments = arguments;
    LT_TRY(lt_call_lanes(&inner, &lanes, err));
    kernel(&lanes);
    LT_EACH_ROW(call, row) {
        if (lanes.failed[row] || lt_vector_is_null(arguments[0], row) || lt_vector_is_null(arguments[1], row))
            LT_TRY(lt_call_put_null(call, row, err));
    }
    return LEAT_OK;
}
