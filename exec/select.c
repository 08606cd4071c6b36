#include "exec/select.h"

#include "exec/in_list.h"
#include "exec/kernels/compare_bits.h"

typedef struct selecting {
    lt_evaluator            *evaluator;
    const lt_chunk          *chunk;
    lt_arena                *arena;
    const lt_compare_kernel *kernel;
} selecting;

typedef struct row_bits {
    uint64_t bits[LT_ROW_WORDS_MAX];
    uint32_t count; // of bits
} row_bits;

static uint32_t words_of(const selecting *self) { return (self->chunk->count + 63) / 64; }

static void count_bits(const selecting *self, row_bits *rows) {
    rows->count = 0;
    for (uint32_t w = 0; w < words_of(self); w++) rows->count += (uint32_t)__builtin_popcountll(rows->bits[w]);
}

static leat_status narrow(selecting *self, const lt_expression *term, row_bits *rows, leat_error *err);

// --------------------------------------------------------------------------------------------------------------- order

static bool is_column_or_constant(const lt_expression *expression) {
    return expression->kind == LT_EXPRESSION_COLUMN || expression->kind == LT_EXPRESSION_LITERAL;
}

// In comparisons of a number with a constant; a guess, that only has to tell the cheap from the dear.
static uint32_t cost_of(const lt_expression *expression) {
    enum { LANES = 1, TEXTS = 2, CALL = 8, OTHER = 4 };
    uint32_t cost = 0;
    if (is_column_or_constant(expression)) return 0;
    for (uint32_t a = 0; a < expression->argument_count; a++) cost += cost_of(expression->arguments[a]);
    if (expression->kind == LT_EXPRESSION_IN) return cost + expression->argument_count;
    if (expression->kind != LT_EXPRESSION_CALL) return cost + OTHER;
    if (expression->function->is_negation) return cost;
    if (expression->function->test == NULL) return cost + CALL;
    return cost + (lt_kind_is_bytes(expression->arguments[0]->type->kind) ? TEXTS : LANES);
}

void lt_conjunction_init(lt_conjunction *conjunction, const lt_expression *expression) {
    *conjunction          = (lt_conjunction){.expression = expression};
    conjunction->is_plain = lt_expression_can_fail(expression) || !lt_expression_is_deterministic(expression);
    for (uint32_t a = 0; a < expression->argument_count && a < LT_TERMS_ORDERED_MAX; a++) {
        conjunction->order[a]      = (uint8_t)a;
        conjunction->terms[a].cost = cost_of(expression->arguments[a]);
    }
}

// Cost of a row over the share of rows that it takes away, scaled; half of the rows, of a term that has seen none.
static uint64_t rank_of(const lt_conjunction *conjunction, uint32_t term) {
    const uint64_t in = conjunction->terms[term].rows_in + 2, out = conjunction->terms[term].rows_out + 1;
    return conjunction->terms[term].cost * in * 64 / (in - out);
}

// By insertion: terms of one rank keep their places.
static void conjunction_order(lt_conjunction *conjunction) {
    enum { CHUNKS = 64 };
    const uint32_t count = conjunction->expression->argument_count;
    if (count > LT_TERMS_ORDERED_MAX || conjunction->chunks++ % CHUNKS != 1) return;
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = i;
             k > 0 && rank_of(conjunction, conjunction->order[k]) < rank_of(conjunction, conjunction->order[k - 1]);
             k--) {
            const uint8_t moved       = conjunction->order[k];
            conjunction->order[k]     = conjunction->order[k - 1];
            conjunction->order[k - 1] = moved;
        }
    for (uint32_t i = 0; i < count; i++) {
        conjunction->terms[i].rows_in /= 2;
        conjunction->terms[i].rows_out /= 2;
    }
}

static lt_conjunction *conjunction_of(const selecting *self, const lt_expression *expression) {
    for (uint32_t i = 0; i < self->evaluator->conjunction_count; i++)
        if (self->evaluator->conjunctions[i].expression == expression) return &self->evaluator->conjunctions[i];
    return NULL;
}

// --------------------------------------------------------------------------------------------------------------- terms

static leat_status list_of(selecting *self, const row_bits *rows, lt_rows *out, leat_error *err) {
    uint16_t *list = lt_arena_alloc(self->arena, sizeof *list * (self->chunk->count + 1u));
    if (list == NULL) return lt_raise_no_memory(err);
    *out = (lt_rows){.rows = list, .count = self->kernel->rows_of(rows->bits, self->chunk->count, list)};
    return LEAT_OK;
}

static leat_status value_of(selecting *self, const lt_expression *expression, const row_bits *rows,
                            const lt_vector **out, leat_error *err) {
    lt_rows list;
    if (rows->count == self->chunk->count || is_column_or_constant(expression))
        return lt_evaluator_run(self->evaluator, expression, self->chunk, NULL, self->arena, out, err);
    LT_TRY(list_of(self, rows, &list, err));
    return lt_evaluator_run(self->evaluator, expression, self->chunk, &list, self->arena, out, err);
}

static void keep_none(row_bits *rows) { *rows = (row_bits){.count = 0}; }

static void keep_valid(const selecting *self, const lt_vector *vector, row_bits *rows) {
    if (vector->form == LT_CONSTANT) {
        if (lt_lane_is_null(vector, 0)) keep_none(rows);
        return;
    }
    for (uint32_t w = 0; vector->validity != NULL && w < words_of(self); w++) rows->bits[w] &= vector->validity[w];
}

// By its value, whatever it is.
static leat_status narrow_plain(selecting *self, const lt_expression *term, row_bits *rows, leat_error *err) {
    const lt_vector *value;
    uint64_t         bits[LT_ROW_WORDS_MAX];
    LT_TRY(value_of(self, term, rows, &value, err));
    keep_valid(self, value, rows);
    if (value->type->kind == LT_VOID) {
        keep_none(rows);
    } else if (value->form == LT_CONSTANT) {
        if (LT_LANES(value, const uint8_t)[0] == 0) keep_none(rows);
    } else {
        self->kernel->of_truths(value->values, self->chunk->count, bits);
        for (uint32_t w = 0; w < words_of(self); w++) rows->bits[w] &= bits[w];
    }
    count_bits(self, rows);
    return LEAT_OK;
}

// Lanes of the rows alone, side by side.
static leat_status gather_lanes(selecting *self, const lt_rows *list, const lt_vector **vector, leat_error *err) {
    lt_vector *lanes;
    if ((*vector)->form == LT_CONSTANT) return LEAT_OK;
    LT_TRY_NEW(lanes, self->arena, err);
    LT_TRY(lt_vector_gather(*vector, list->rows, list->count, self->arena, lanes, err));
    *vector = lanes;
    return LEAT_OK;
}

static const lt_in_list *in_list_of(const selecting *self, const lt_expression *expression) {
    for (uint32_t i = 0; expression->kind == LT_EXPRESSION_IN && i < self->evaluator->in_list_count; i++)
        if (self->evaluator->in_lists[i].expression == expression) return &self->evaluator->in_lists[i];
    return NULL;
}

// A comparison, or an IN of few constants. Few rows are put side by side first: less memory is read than by a loop over
// all lanes. Rows whose bits are not known (*out_is_done false) are left as they were.
static leat_status narrow_test(selecting *self, const lt_expression *term, bool is_opposite, row_bits *rows,
                               bool *out_is_done, leat_error *err) {
    enum { ARGUMENTS_MAX = 2, FEW = 16 };
    const lt_in_list *in_list        = in_list_of(self, term);
    const uint32_t    argument_count = in_list != NULL ? 1 : ARGUMENTS_MAX;
    const bool        is_few         = rows->count < self->chunk->count / FEW;
    const lt_vector  *arguments[ARGUMENTS_MAX];
    const lt_type    *types[ARGUMENTS_MAX];
    uint64_t          bits[LT_ROW_WORDS_MAX];
    row_bits          valid     = *rows;
    lt_rows           list      = {.count = self->chunk->count};
    bool              has_lanes = false, is_void = false;
    lt_lanes          lanes = {.results = bits, .types = types, .result_type = term->type};
    *out_is_done            = false;
    for (uint32_t a = 0; a < argument_count; a++) {
        LT_TRY(value_of(self, term->arguments[a], rows, &arguments[a], err));
        has_lanes |= arguments[a]->form != LT_CONSTANT;
        is_void |= arguments[a]->type->kind == LT_VOID;
    }
    if (!has_lanes || is_void) return LEAT_OK;
    if (is_few) LT_TRY(list_of(self, rows, &list, err));
    for (uint32_t a = 0; a < argument_count; a++) {
        keep_valid(self, arguments[a], &valid);
        if (is_few) LT_TRY(gather_lanes(self, &list, &arguments[a], err));
        lanes.values[a] = arguments[a]->values;
        lanes.steps[a]  = arguments[a]->form == LT_CONSTANT ? 0 : 1;
        types[a]        = arguments[a]->type;
    }
    lanes.count = list.count;
    if (!(in_list != NULL ? lt_in_list_test(in_list, &lanes) : term->function->test(&lanes))) return LEAT_OK;
    *out_is_done = true;
    if (is_opposite && in_list != NULL && in_list->has_null) {
        keep_none(rows);
        return LEAT_OK;
    }
    for (uint32_t w = 0; is_opposite && w < (list.count + 63) / 64; w++) bits[w] = ~bits[w];
    if (is_few) {
        uint64_t kept[LT_ROW_WORDS_MAX] = {0};
        for (uint32_t i = 0; i < list.count; i++)
            kept[list.rows[i] >> 6] |= (bits[i >> 6] >> (i & 63) & 1) << (list.rows[i] & 63);
        memcpy(bits, kept, sizeof bits);
    }
    for (uint32_t w = 0; w < words_of(self); w++) rows->bits[w] = valid.bits[w] & bits[w];
    count_bits(self, rows);
    return LEAT_OK;
}

static leat_status narrow_and(selecting *self, const lt_expression *term, row_bits *rows, leat_error *err) {
    lt_conjunction *conjunction = conjunction_of(self, term);
    if (conjunction == NULL || conjunction->is_plain) return narrow_plain(self, term, rows, err);
    conjunction_order(conjunction);
    for (uint32_t a = 0; a < term->argument_count && rows->count > 0; a++) {
        const uint32_t at =
            a < LT_TERMS_ORDERED_MAX && term->argument_count <= LT_TERMS_ORDERED_MAX ? conjunction->order[a] : a;
        const uint32_t in = rows->count;
        LT_TRY(narrow(self, term->arguments[at], rows, err));
        if (at >= LT_TERMS_ORDERED_MAX) continue;
        conjunction->terms[at].rows_in += in;
        conjunction->terms[at].rows_out += rows->count;
    }
    return LEAT_OK;
}

static leat_status narrow_or(selecting *self, const lt_expression *term, row_bits *rows, leat_error *err) {
    row_bits left = *rows, part;
    keep_none(rows);
    for (uint32_t a = 0; a < term->argument_count && left.count > 0; a++) {
        part = left;
        LT_TRY(narrow(self, term->arguments[a], &part, err));
        for (uint32_t w = 0; w < words_of(self); w++) {
            rows->bits[w] |= part.bits[w];
            left.bits[w] &= ~part.bits[w];
        }
        rows->count += part.count;
        left.count -= part.count;
    }
    return LEAT_OK;
}

static bool is_negation(const lt_expression *term) {
    return term->kind == LT_EXPRESSION_CALL && term->function->is_negation;
}

// Whether loops are worth a try: where they may turn out not to know the values, operands must not be computed twice.
static bool is_testable(const selecting *self, const lt_expression *term) {
    const lt_in_list *in_list   = in_list_of(self, term);
    const lt_kind     kind      = term->argument_count > 0 ? term->arguments[0]->type->kind : LT_VOID;
    bool              is_direct = true;
    if (in_list != NULL) return in_list->slots == NULL && is_column_or_constant(term->arguments[0]);
    if (term->kind != LT_EXPRESSION_CALL || term->function->test == NULL) return false;
    for (uint32_t a = 0; a < term->argument_count; a++) is_direct &= is_column_or_constant(term->arguments[a]);
    return is_direct || (!lt_kind_is_bytes(kind) && kind != LT_DECIMAL);
}

// Keeps the rows for which `term` is TRUE; some are there.
static leat_status narrow(selecting *self, const lt_expression *term, row_bits *rows, leat_error *err) {
    const lt_expression *tested      = term;
    bool                 is_opposite = false, is_done = false;
    if (term->kind == LT_EXPRESSION_AND) return narrow_and(self, term, rows, err);
    if (term->kind == LT_EXPRESSION_OR) return narrow_or(self, term, rows, err);
    for (; is_negation(tested); tested = tested->arguments[0]) is_opposite = !is_opposite;
    if (is_testable(self, tested)) LT_TRY(narrow_test(self, tested, is_opposite, rows, &is_done, err));
    return is_done ? LEAT_OK : narrow_plain(self, term, rows, err);
}

leat_status lt_evaluator_select(lt_evaluator *evaluator, const lt_expression *predicate, const lt_chunk *chunk,
                                lt_arena *arena, uint16_t *out_rows, uint32_t *out_count, leat_error *err) {
    selecting self = {.evaluator = evaluator, .chunk = chunk, .arena = arena, .kernel = lt_compare_kernel_best()};
    row_bits  rows = {.count = chunk->count};
    lt_assert(chunk->count <= LT_CHUNK_ROWS_MAX);
    for (uint32_t w = 0; w < chunk->count / 64; w++) rows.bits[w] = UINT64_MAX;
    if (chunk->count % 64 != 0) rows.bits[chunk->count / 64] = ((uint64_t)1 << chunk->count % 64) - 1;
    if (chunk->count > 0) {
        const bool  begins = lt_shared_calls_begin(&evaluator->shared, chunk);
        leat_status status = narrow(&self, predicate, &rows, err);
        if (begins) lt_shared_calls_end(&evaluator->shared);
        LT_TRY(status);
    }
    *out_count = rows.count == 0 ? 0 : self.kernel->rows_of(rows.bits, chunk->count, out_rows);
    return LEAT_OK;
}
