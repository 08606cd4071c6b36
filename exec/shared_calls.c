#include "exec/shared_calls.h"

// Calls beyond the first CALLS_MAX are not looked at: their comparison would cost more than most queries.

enum { CALLS_MAX = 256 };

typedef struct collected {
    const lt_expression *calls[CALLS_MAX];
    uint32_t             count;
} collected;

static bool collect(void *user, const lt_expression *node) {
    collected *self = user;
    if (node->kind == LT_EXPRESSION_LAMBDA) return false;
    if (node->kind == LT_EXPRESSION_CALL && self->count < CALLS_MAX) self->calls[self->count++] = node;
    return true;
}

static bool is_same(const lt_expression *a, const lt_expression *b) {
    return a->function == b->function && lt_expression_is_deterministic(a) && (a == b || lt_expression_equal(a, b));
}

leat_status lt_shared_calls_open(lt_shared_calls *self, const lt_expression *const *expressions,
                                 uint32_t expression_count, uint32_t id_count, lt_arena *arena, leat_error *err) {
    collected all = {.count = 0};
    *self         = (lt_shared_calls){.id_count = id_count};
    for (uint32_t i = 0; i < expression_count; i++)
        if (expressions[i] != NULL) lt_expression_walk(expressions[i], collect, &all);
    for (uint32_t i = 1; i < all.count; i++) {
        uint32_t first = 0;
        while (first < i && !is_same(all.calls[first], all.calls[i])) first++;
        if (first == i) continue;
        if (self->slots == NULL) LT_TRY_NEW_ARRAY(self->slots, arena, id_count, err);
        uint16_t *slot = &self->slots[all.calls[first]->id];
        if (*slot == 0) *slot = (uint16_t)++self->slot_count;
        self->slots[all.calls[i]->id] = *slot;
    }
    if (self->slot_count > 0) LT_TRY_NEW_ARRAY(self->values, arena, self->slot_count, err);
    return LEAT_OK;
}

bool lt_shared_calls_begin(lt_shared_calls *self, const lt_chunk *chunk) {
    if (self->chunk != NULL) return false;
    self->chunk = chunk;
    for (uint32_t i = 0; i < self->slot_count; i++) self->values[i] = NULL;
    return true;
}

void lt_shared_calls_end(lt_shared_calls *self) { self->chunk = NULL; }
