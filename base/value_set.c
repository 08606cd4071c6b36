#include "base/value_set.h"

#include "base/hash.h"

enum { MEMBERS_WITHOUT_SLOTS = 8 };

static leat_status hash_row(lt_value_set *set, const lt_vector *vector, uint32_t row, uint64_t *out, leat_error *err) {
    lt_buffer bytes;
    lt_buffer_init(&bytes, set->arena->account, 0);
    leat_status status = lt_row_encode(vector, 1, row, true, &bytes, err);
    if (status == LEAT_OK) *out = lt_hash64(bytes.data, bytes.bytes, 0);
    lt_buffer_deinit(&bytes);
    return status;
}

static void insert_slot(lt_value_set *set, uint32_t member) {
    uint32_t slot = (uint32_t)set->members[member].hash & (set->slot_count - 1);
    while (set->slots[slot] != 0) slot = (slot + 1) & (set->slot_count - 1);
    set->slots[slot] = member + 1;
}

// Slots are kept at most half full.
static leat_status grow_slots(lt_value_set *set, leat_error *err) {
    bool     is_first = set->slots == NULL;
    uint32_t count    = is_first ? 64 : set->slot_count * 2;
    LT_TRY_NEW_ARRAY(set->slots, set->arena, count, err);
    set->slot_count = count;
    for (uint32_t i = 0; i < set->count; i++) {
        if (is_first) LT_TRY(hash_row(set, set->members[i].vector, set->members[i].row, &set->members[i].hash, err));
        insert_slot(set, i);
    }
    return LEAT_OK;
}

static leat_status find(lt_value_set *set, const lt_vector *vector, uint32_t row, uint32_t *out, uint64_t *out_hash,
                        leat_error *err) {
    *out      = UINT32_MAX;
    *out_hash = 0;
    if (set->slots == NULL) {
        for (uint32_t i = 0; i < set->count; i++)
            if (lt_vector_compare(set->members[i].vector, set->members[i].row, vector, row) == 0) {
                *out = i;
                break;
            }
        return LEAT_OK;
    }
    LT_TRY(hash_row(set, vector, row, out_hash, err));
    for (uint32_t slot = (uint32_t)*out_hash & (set->slot_count - 1); set->slots[slot] != 0;
         slot          = (slot + 1) & (set->slot_count - 1)) {
        const lt_value_member *member = &set->members[set->slots[slot] - 1];
        if (member->hash == *out_hash && lt_vector_compare(member->vector, member->row, vector, row) == 0) {
            *out = set->slots[slot] - 1;
            break;
        }
    }
    return LEAT_OK;
}

leat_status lt_value_set_find(lt_value_set *set, const lt_vector *vector, uint32_t row, uint32_t *out,
                              leat_error *err) {
    uint64_t hash;
    return find(set, vector, row, out, &hash, err);
}

leat_status lt_value_set_add(lt_value_set *set, const lt_vector *vector, uint32_t row, uint32_t *out, bool *out_is_new,
                             leat_error *err) {
    uint64_t hash;
    LT_TRY(find(set, vector, row, out, &hash, err));
    *out_is_new = *out == UINT32_MAX;
    if (!*out_is_new) return LEAT_OK;
    if (set->count == set->capacity) {
        uint32_t capacity = set->capacity == 0 ? 16 : set->capacity * 2;
        LT_TRY_LARGER_ARRAY(set->members, set->arena, set->count, capacity, err);
        set->capacity = capacity;
    }
    *out                     = set->count;
    set->members[set->count] = (lt_value_member){.vector = vector, .row = row, .hash = hash};
    set->count++;
    if (set->slots == NULL) return set->count > MEMBERS_WITHOUT_SLOTS ? grow_slots(set, err) : LEAT_OK;
    if (set->count * 2 > set->slot_count) return grow_slots(set, err);
    insert_slot(set, set->count - 1);
    return LEAT_OK;
}
