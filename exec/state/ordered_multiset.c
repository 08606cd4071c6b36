// A sorted array: groups keep few values as a rule, and moving entries of 24 bytes is cheap far beyond that.
#include "exec/state/ordered_multiset.h"

#include <math.h>

// ---------------------------------------------------------------------------------------------------------------- keys

// The low `bytes` bytes of a two's complement number, sign bit flipped, most significant first.
static leat_status append_signed(lt_int128 value, size_t bytes, lt_buffer *out, leat_error *err) {
    char       key[sizeof value];
    lt_uint128 bits = (lt_uint128)value ^ (lt_uint128)1 << (bytes * 8 - 1);
    for (size_t i = 0; i < bytes; i++) key[i] = (char)(bits >> ((bytes - 1 - i) * 8));
    return lt_buffer_append(out, key, bytes, err);
}

// Bits of an IEEE number in an order of unsigned numbers: negative ones inverted, others above them.
static leat_status append_double(double value, lt_buffer *out, leat_error *err) {
    int64_t bits;
    value = isnan(value) ? (double)NAN : value + 0.0;
    memcpy(&bits, &value, sizeof bits);
    if (isnan(value)) bits &= INT64_MAX;
    if (bits < 0) bits ^= INT64_MAX; // as a signed number: larger magnitude, smaller number
    return append_signed(bits, sizeof bits, out, err);
}

// A zero byte becomes 00 FF and the end 00 00, so that a text ends before every longer one.
static leat_status append_text(const lt_string *text, lt_buffer *out, leat_error *err) {
    const char *data = lt_string_data(text);
    for (size_t i = 0, run = 0; i <= text->bytes; i++) {
        if (i < text->bytes && data[i] != '\0') continue;
        LT_TRY(lt_buffer_append(out, data + run, i - run, err));
        LT_TRY(lt_buffer_append(out, i < text->bytes ? "\0\xff" : "\0", 2, err));
        run = i + 1;
    }
    return LEAT_OK;
}

static leat_status append_list(const lt_vector *lanes, uint32_t lane, lt_buffer *out, leat_error *err) {
    lt_list list = LT_LANES(lanes, const lt_list)[lane];
    for (uint32_t i = 0; i < list.count; i++) {
        LT_TRY(lt_buffer_append_byte(out, 1, err));
        LT_TRY(lt_order_key_append(&lanes->children[0], list.offset + i, out, err));
    }
    return lt_buffer_append_byte(out, 0, err);
}

leat_status lt_order_key_append(const lt_vector *vector, uint32_t row, lt_buffer *out, leat_error *err) {
    const lt_vector *lanes = lt_vector_lanes(vector);
    uint32_t         lane  = lt_vector_lane(vector, row);
    if (lt_lane_is_null(lanes, lane)) return lt_buffer_append_byte(out, 0, err);
    LT_TRY(lt_buffer_append_byte(out, 1, err));
    switch (lanes->type->kind) {
    case LT_STRUCT:
        for (uint32_t i = 0; i < lanes->child_count; i++)
            LT_TRY(lt_order_key_append(&lanes->children[i], lane, out, err));
        return LEAT_OK;
    case LT_ARRAY:
        return append_list(lanes, lane, out, err);
    case LT_STRING:
    case LT_BINARY:
        return append_text(&LT_LANES(lanes, const lt_string)[lane], out, err);
    case LT_FLOAT:
        return append_double((double)LT_LANES(lanes, const float)[lane], out, err);
    case LT_DOUBLE:
        return append_double(LT_LANES(lanes, const double)[lane], out, err);
    default:
        break;
    }
    switch (lt_kind_lane_bytes(lanes->type->kind)) {
    case 1:
        if (lanes->type->kind == LT_BOOLEAN) return append_signed(LT_LANES(lanes, const uint8_t)[lane], 1, out, err);
        return append_signed(LT_LANES(lanes, const int8_t)[lane], 1, out, err);
    case 2:
        return append_signed(LT_LANES(lanes, const int16_t)[lane], 2, out, err);
    case 4:
        return append_signed(LT_LANES(lanes, const int32_t)[lane], 4, out, err);
    case 16:
        return append_signed(LT_LANES(lanes, const lt_int128)[lane], 16, out, err);
    default:
        return append_signed(LT_LANES(lanes, const int64_t)[lane], 8, out, err);
    }
}

// ----------------------------------------------------------------------------------------------------------------- set

static int compare_key(const lt_multiset_entry *entry, const char *key, size_t bytes) {
    size_t common = entry->key_bytes < bytes ? entry->key_bytes : bytes;
    int    order  = memcmp(entry->bytes, key, common);
    return order != 0 ? order : (entry->key_bytes > bytes) - (entry->key_bytes < bytes);
}

// The first entry that is not below the key.
static uint32_t lower_bound(const lt_ordered_multiset *set, const char *key, size_t bytes) {
    uint32_t low = 0, high = set->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_key(&set->entries[middle], key, bytes) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static leat_status insert(lt_ordered_multiset *set, uint32_t at, const char *key, size_t key_bytes, const char *value,
                          size_t value_bytes, int64_t weight, lt_account *account, leat_error *err) {
    LT_TRY_GROW(set->entries, account, set->count, set->capacity, 4, err);
    char *bytes = lt_account_reallocate(account, NULL, 0, key_bytes + value_bytes);
    if (bytes == NULL) return lt_raise_no_memory(err);
    memcpy(bytes, key, key_bytes);
    memcpy(bytes + key_bytes, value, value_bytes);
    memmove(&set->entries[at + 1], &set->entries[at], sizeof *set->entries * (set->count - at));
    set->entries[at] = (lt_multiset_entry){bytes, (uint32_t)key_bytes, (uint32_t)value_bytes, weight};
    set->count++;
    return LEAT_OK;
}

static void entry_free(lt_multiset_entry *entry, lt_account *account) {
    lt_account_reallocate(account, entry->bytes, (size_t)entry->key_bytes + entry->value_bytes, 0);
}

leat_status lt_ordered_multiset_add(lt_ordered_multiset *set, const lt_vector *vector, uint32_t row, int64_t weight,
                                    lt_buffer *scratch, lt_account *account, leat_error *err) {
    lt_buffer_reset(scratch);
    LT_TRY(lt_order_key_append(vector, row, scratch, err));
    size_t   key_bytes = scratch->bytes;
    uint32_t at        = lower_bound(set, scratch->data, key_bytes);
    bool     is_there  = at < set->count && compare_key(&set->entries[at], scratch->data, key_bytes) == 0;
    int64_t  now       = (is_there ? set->entries[at].weight : 0) + weight;
    if (now < 0)
        return lt_raise(err, LT_INTERNAL_ERROR, NULL, "an aggregate was asked to take away a value that it has not");
    if (!is_there) {
        if (now == 0) return LEAT_OK;
        LT_TRY(lt_row_encode(vector, 1, row, false, scratch, err));
        return insert(set, at, scratch->data, key_bytes, scratch->data + key_bytes, scratch->bytes - key_bytes, now,
                      account, err);
    }
    set->entries[at].weight = now;
    if (now > 0) return LEAT_OK;
    entry_free(&set->entries[at], account);
    set->count--;
    memmove(&set->entries[at], &set->entries[at + 1], sizeof *set->entries * (set->count - at));
    return LEAT_OK;
}

leat_status lt_multiset_entry_append(const lt_multiset_entry *entry, lt_vector *into, lt_arena *arena,
                                     leat_error *err) {
    return lt_row_decode(entry->bytes + entry->key_bytes, entry->value_bytes, into, 1, arena, err);
}

leat_status lt_ordered_multiset_save(const lt_ordered_multiset *set, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_append_u32(out, set->count, err));
    for (uint32_t i = 0; i < set->count; i++) {
        const lt_multiset_entry *entry = &set->entries[i];
        LT_TRY(lt_buffer_append_u64(out, (uint64_t)entry->weight, err));
        LT_TRY(lt_buffer_append_bytes(out, entry->bytes, entry->key_bytes, err));
        LT_TRY(lt_buffer_append_bytes(out, entry->bytes + entry->key_bytes, entry->value_bytes, err));
    }
    return LEAT_OK;
}

leat_status lt_ordered_multiset_load(lt_ordered_multiset *set, lt_reader *in, lt_account *account, leat_error *err) {
    uint32_t count;
    LT_TRY(lt_reader_u32(in, &count, err));
    for (uint32_t i = 0; i < count; i++) {
        uint64_t    weight;
        const char *key, *value;
        size_t      key_bytes, value_bytes;
        LT_TRY(lt_reader_u64(in, &weight, err));
        LT_TRY(lt_reader_bytes(in, &key, &key_bytes, err));
        LT_TRY(lt_reader_bytes(in, &value, &value_bytes, err));
        bool is_in_order = i == 0 || compare_key(&set->entries[i - 1], key, key_bytes) < 0;
        if ((int64_t)weight <= 0 || !is_in_order || key_bytes > UINT32_MAX || value_bytes > UINT32_MAX)
            return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "saved values are not in order");
        LT_TRY(insert(set, i, key, key_bytes, value, value_bytes, (int64_t)weight, account, err));
    }
    return LEAT_OK;
}

void lt_ordered_multiset_close(lt_ordered_multiset *set, lt_account *account) {
    for (uint32_t i = 0; i < set->count; i++) entry_free(&set->entries[i], account);
    lt_account_reallocate(account, set->entries, sizeof *set->entries * set->capacity, 0);
    *set = (lt_ordered_multiset){0};
}
