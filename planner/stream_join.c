#include "planner/stream_join.h"

#include "base/checked.h"

typedef struct term_walk {
    void (*visit)(void *user, const lt_expression *term);
    void *user;
} term_walk;

static bool term_visit(void *user, const lt_expression *node) {
    term_walk *self = user;
    if (node->kind == LT_EXPRESSION_AND) return true;
    self->visit(self->user, node);
    return false;
}

void lt_join_terms(const lt_plan *join, void (*visit)(void *user, const lt_expression *term), void *user) {
    term_walk walk = {.visit = visit, .user = user};
    if (join->as.join.residual != NULL) lt_expression_walk(join->as.join.residual, term_visit, &walk);
}

typedef struct side_walk {
    uint32_t left_width, sides;
} side_walk;

static bool side_visit(void *user, const lt_expression *node) {
    side_walk *self = user;
    if (node->kind == LT_EXPRESSION_COLUMN) self->sides |= node->column < self->left_width ? 1 : 2;
    return true;
}

uint32_t lt_join_sides(const lt_plan *join, const lt_expression *expression) {
    side_walk walk = {.left_width = join->inputs[0]->column_count};
    lt_expression_walk(expression, side_visit, &walk);
    return walk.sides;
}

// column + shift_us
typedef struct shifted {
    uint32_t column; // over left ++ right
    int64_t  shift_us;
} shifted;

static bool interval_us(const lt_expression *expression, int64_t *out) {
    if (expression->kind != LT_EXPRESSION_LITERAL || expression->type->kind != LT_INTERVAL_DAY_TIME ||
        lt_vector_is_null(expression->value, 0))
        return false;
    *out = LT_VALUE(expression->value, int64_t, 0);
    return true;
}

static bool is_timestamp(const lt_expression *expression) {
    return expression->kind == LT_EXPRESSION_COLUMN &&
           (expression->type->kind == LT_TIMESTAMP || expression->type->kind == LT_TIMESTAMP_NTZ);
}

static bool shifted_of(const lt_expression *expression, shifted *out) {
    *out = (shifted){0};
    if (is_timestamp(expression)) {
        out->column = expression->column;
        return true;
    }
    if (expression->kind != LT_EXPRESSION_CALL || expression->argument_count != 2) return false;
    const bool is_plus = strcmp(expression->function->name, "+") == 0;
    if (!is_plus && strcmp(expression->function->name, "-") != 0) return false;
    const lt_expression *time = expression->arguments[0], *by = expression->arguments[1];
    if (is_plus && is_timestamp(by)) {
        time = expression->arguments[1];
        by   = expression->arguments[0];
    }
    if (!is_timestamp(time) || !interval_us(by, &out->shift_us)) return false;
    if (!is_plus && lt_subtract_overflows((int64_t)0, out->shift_us, &out->shift_us)) return false;
    out->column = time->column;
    return true;
}

typedef struct range_walk {
    const lt_plan   *join;
    lt_stream_bound *bounds;
} range_walk;

// `later` >= (strict: >) `earlier`: the later side's rows find nothing once the earlier side has passed them.
static void range_note(range_walk *self, const shifted *later, const shifted *earlier, bool is_strict) {
    const uint32_t   left_width = self->join->inputs[0]->column_count;
    const uint32_t   side       = later->column < left_width ? 0 : 1;
    lt_stream_bound *bound      = &self->bounds[side];
    const uint32_t   other      = side == 0 ? earlier->column - left_width : earlier->column;
    int64_t          ahead_us;
    if ((earlier->column < left_width) == (side == 0) || bound->kind == LT_STREAM_BOUND_KEY) return;
    if (!self->join->inputs[1 - side]->columns[other].has_event_time) return;
    if (lt_subtract_overflows(later->shift_us, earlier->shift_us, &ahead_us) ||
        lt_add_overflows(ahead_us, is_strict ? 0 : 1, &ahead_us))
        return;
    if (bound->kind == LT_STREAM_BOUND_RANGE && bound->ahead_us <= ahead_us) return;
    bound->kind     = LT_STREAM_BOUND_RANGE;
    bound->column   = side == 0 ? later->column : later->column - left_width;
    bound->ahead_us = ahead_us;
}

static void range_visit(void *user, const lt_expression *term) {
    shifted a, b;
    if (term->kind != LT_EXPRESSION_CALL || term->argument_count != 2) return;
    const char *name = term->function->name;
    if ((name[0] != '<' && name[0] != '>') || (name[1] != '\0' && strcmp(name + 1, "=") != 0)) return;
    if (!shifted_of(term->arguments[0], &a) || !shifted_of(term->arguments[1], &b)) return;
    range_note(user, name[0] == '>' ? &a : &b, name[0] == '>' ? &b : &a, name[1] == '\0');
}

static bool is_marked(const lt_plan *input, const lt_expression *key) {
    return key->kind == LT_EXPRESSION_COLUMN && input->columns[key->column].has_event_time;
}

void lt_stream_bounds(const lt_plan *join, lt_stream_bound out[2]) {
    for (uint32_t side = 0; side < 2; side++) {
        const lt_plan *input = join->inputs[side];
        out[side]            = (lt_stream_bound){.event_time = -1};
        const bool *needed   = join->as.join.needed[side];
        for (uint32_t c = 0; c < input->column_count && out[side].event_time < 0; c++)
            if (input->columns[c].has_event_time && (needed == NULL || needed[c])) out[side].event_time = (int32_t)c;
    }
    for (uint32_t k = 0; k < join->as.join.key_count; k++) {
        if (!is_marked(join->inputs[0], join->as.join.left_keys[k]) &&
            !is_marked(join->inputs[1], join->as.join.right_keys[k]))
            continue;
        for (uint32_t side = 0; side < 2; side++) {
            out[side].kind = LT_STREAM_BOUND_KEY;
            out[side].key  = k;
        }
        return;
    }
    range_walk walk = {.join = join, .bounds = out};
    lt_join_terms(join, range_visit, &walk);
}

static bool side_expires(const lt_plan *join, uint32_t side, const lt_stream_bound *bound) {
    const lt_plan *input = join->inputs[side];
    if (bound->kind == LT_STREAM_BOUND_NONE || !input->properties.is_streaming) return false;
    if (input->properties.is_append_only) return true;
    if (bound->event_time < 0) return false;
    if (bound->kind == LT_STREAM_BOUND_RANGE) return true;
    const lt_expression *key = side == 0 ? join->as.join.left_keys[bound->key] : join->as.join.right_keys[bound->key];
    return key->kind == LT_EXPRESSION_COLUMN && (int32_t)key->column == bound->event_time;
}

bool lt_join_expires(const lt_plan *join, lt_stream_bound out[2]) {
    const lt_join_type type = join->as.join.type;
    if (!join->freezes || join->as.join.is_null_aware ||
        (type != LT_JOIN_INNER && type != LT_JOIN_LEFT && type != LT_JOIN_RIGHT && type != LT_JOIN_FULL))
        return false;
    lt_stream_bounds(join, out);
    return side_expires(join, 0, &out[0]) && side_expires(join, 1, &out[1]);
}

bool lt_stream_join_is_bounded(const lt_plan *join) {
    lt_stream_bound bounds[2];
    lt_stream_bounds(join, bounds);
    const bool left = bounds[0].kind != LT_STREAM_BOUND_NONE, right = bounds[1].kind != LT_STREAM_BOUND_NONE;
    switch (join->as.join.type) {
    case LT_JOIN_INNER:
        return true;
    case LT_JOIN_LEFT:
    case LT_JOIN_SEMI:
        return left;
    case LT_JOIN_RIGHT:
        return right;
    case LT_JOIN_FULL:
        return left || right;
    default:
        return false;
    }
}
