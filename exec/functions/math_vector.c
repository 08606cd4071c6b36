#include "exec/nested.h"

#include <math.h>

// Functions over vectors of numbers, ARRAY<FLOAT>: products, distances, norms. NULL where an element is NULL or the
// lengths differ; a vector of length zero has no direction. Source: Spark SQL 4.

typedef struct floats {
    const float *values;
    uint32_t     count;
} floats;

// False: an element is NULL.
static bool floats_of(const lt_call *call, uint32_t argument, uint32_t row, floats *out) {
    lt_elements elements = lt_call_elements(call, argument, row);
    if (elements.child->type->kind != LT_FLOAT && elements.count > 0) return false;
    for (uint32_t i = 0; i < elements.count; i++)
        if (lt_vector_is_null(elements.child, elements.offset + i)) return false;
    *out =
        (floats){elements.count == 0 ? NULL : LT_LANES(elements.child, const float) + elements.offset, elements.count};
    return true;
}

static double product_of(floats a, floats b) {
    double sum = 0;
    for (uint32_t i = 0; i < a.count; i++) sum += (double)a.values[i] * (double)b.values[i];
    return sum;
}
static bool inner_product(floats a, floats b, double *out) {
    *out = product_of(a, b);
    return true;
}
static bool l2_distance(floats a, floats b, double *out) {
    double sum = 0;
    for (uint32_t i = 0; i < a.count; i++) {
        double difference = (double)a.values[i] - (double)b.values[i];
        sum += difference * difference;
    }
    *out = sqrt(sum);
    return true;
}
static bool cosine(floats a, floats b, double *out) {
    double lengths = sqrt(product_of(a, a)) * sqrt(product_of(b, b));
    *out           = lengths == 0 ? 0 : product_of(a, b) / lengths;
    return lengths != 0;
}

static leat_status pair_rows(lt_call *call, bool (*function)(floats, floats, double *), leat_error *err) {
    float *results = call->result->values;
    LT_EACH_ROW(call, row) {
        floats a, b;
        double value;
        if (floats_of(call, 0, row, &a) && floats_of(call, 1, row, &b) && a.count == b.count && function(a, b, &value))
            results[row] = (float)value;
        else
            LT_TRY(lt_call_put_null(call, row, err));
    }
    return LEAT_OK;
}
static leat_status inner_product_rows(lt_call *call, leat_error *err) { return pair_rows(call, inner_product, err); }
static leat_status l2_distance_rows(lt_call *call, leat_error *err) { return pair_rows(call, l2_distance, err); }
static leat_status cosine_rows(lt_call *call, leat_error *err) { return pair_rows(call, cosine, err); }

// The norm of a degree: 1 sums the magnitudes, infinity takes the largest, 2 is the usual one.
static leat_status norm_of(lt_call *call, uint32_t row, floats a, double *out, leat_error *err) {
    const float degree = call->argument_count > 1 ? LT_ARG(call, 1, float, row) : 2;
    double      norm   = 0;
    if (degree == 2) {
        *out = sqrt(product_of(a, a));
        return LEAT_OK;
    }
    if (degree != 1 && degree != INFINITY)
        return lt_call_raise(call, err, LT_INVALID_VECTOR_NORM_DEGREE,
                             "the degree of a norm is 1.0, 2.0 or float('inf'), not %g", (double)degree);
    for (uint32_t i = 0; i < a.count; i++) {
        const double magnitude = fabs((double)a.values[i]);
        norm                   = degree == 1 ? norm + magnitude : magnitude > norm ? magnitude : norm;
    }
    *out = norm;
    return LEAT_OK;
}

static leat_status norm_rows(lt_call *call, leat_error *err) {
    float *results = call->result->values;
    LT_EACH_ROW(call, row) {
        floats a;
        double norm = 0;
        if (floats_of(call, 0, row, &a)) {
            LT_TRY(norm_of(call, row, a, &norm, err));
            results[row] = (float)norm;
        } else
            LT_TRY(lt_call_put_null(call, row, err));
    }
    return LEAT_OK;
}

static leat_status normalize_rows(lt_call *call, leat_error *err) {
    lt_vector *child = lt_call_child(call);
    LT_EACH_ROW(call, row) {
        floats   a;
        uint32_t start  = child->lanes;
        double   length = 0;
        if (floats_of(call, 0, row, &a)) LT_TRY(norm_of(call, row, a, &length, err));
        if (length == 0) {
            LT_TRY(lt_call_put_nothing(call, row, err));
            continue;
        }
        LT_TRY(lt_vector_reserve(child, start + a.count, call->arena, err));
        for (uint32_t i = 0; i < a.count; i++)
            LT_LANES(child, float)[start + i] = (float)((double)a.values[i] / length);
        child->lanes = start + a.count;
        lt_call_put_list(call, row, start);
    }
    return LEAT_OK;
}

static leat_status resolve_vectors(lt_resolution *resolution, leat_error *err) {
    const lt_type *vector = lt_type_array(resolution->arena, lt_type_of(LT_FLOAT));
    const bool     takes_degree =
        resolution->function->evaluate == norm_rows || resolution->function->evaluate == normalize_rows;
    if (vector == NULL) return lt_raise_no_memory(err);
    for (uint32_t i = 0; i < resolution->argument_count; i++) {
        const lt_type *type = resolution->types[i];
        if (i == 1 && takes_degree) {
            if (type->kind != LT_FLOAT && type->kind != LT_VOID) return LEAT_DONE;
            resolution->types[i] = lt_type_of(LT_FLOAT);
            continue;
        }
        if (type->kind != LT_ARRAY || (type->fields[0].type->kind != LT_FLOAT && type->fields[0].type->kind != LT_VOID))
            return LEAT_DONE;
        resolution->types[i] = vector;
    }
    resolution->result = resolution->function->evaluate == normalize_rows ? vector : lt_type_of(LT_FLOAT);
    return LEAT_OK;
}

#define ROW(text, function, ...) .name = text, .takes = {__VA_ARGS__}, .resolve = resolve_vectors, .evaluate = function
#define WITH_DEGREE LT_TAKES_ARRAY, LT_TAKES_ANY | LT_TAKES_OPTIONAL
#define PAIR(text, function) ROW(text, function, LT_TAKES_ARRAY, LT_TAKES_ARRAY)

const lt_function lt_functions_math_vector[] = {
    {PAIR("vector_inner_product", inner_product_rows), .summary = "Sum of the products of two vectors' elements.",
     .example = "SELECT vector_inner_product(array(1F, 2F), array(3F, 4F))", .example_result = "11.0"},
    {PAIR("vector_l2_distance", l2_distance_rows), .summary = "Euclidean distance of two vectors.",
     .example = "SELECT vector_l2_distance(array(0F, 0F), array(3F, 4F))", .example_result = "5.0"},
    {PAIR("vector_cosine_similarity", cosine_rows), .summary = "Cosine of the angle between two vectors.",
     .example = "SELECT vector_cosine_similarity(array(1F, 0F), array(0F, 1F))", .example_result = "0.0"},
    {ROW("vector_norm", norm_rows, WITH_DEGREE), .display = "$name($1, $2{2.0})", .can_fail = true,
     .summary = "Length of a vector: Euclidean, or by the degree 1.0, 2.0 or float('inf').",
     .example = "SELECT vector_norm(array(3F, 4F))", .example_result = "5.0"},
    {ROW("vector_normalize", normalize_rows, WITH_DEGREE), .display = "$name($1, $2{2.0})", .can_fail = true,
     .summary = "The vector of length 1 in the same direction.", .example = "SELECT vector_normalize(array(3F, 4F))",
     .example_result = "[0.6, 0.8]"},
    {0},
};
