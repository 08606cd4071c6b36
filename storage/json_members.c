// The loop over members has no branch that depends on which member it is: kinds of values and columns choose between
// addresses. So a row of any order costs what a row of the usual order costs.
#include "storage/json_members.h"

#include "base/byte_scan.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { PROBES_MAX = 8, NAME_BYTES_MAX = 1 << 12, SLOTS = 1 << LT_JSON_MEMBER_SLOT_BITS };

// ---------------------------------------------------------------------------------------------------------------- names

// Two bytes each of the start, the middle and the end of a name, and its length: all lie in the name and its quotes, so
// that none needs to be masked.
static inline uint32_t name_hash(const char *name, size_t bytes) {
    uint16_t first, middle, last;
    memcpy(&first, name, sizeof first);
    memcpy(&middle, name - 1 + (bytes >> 1), sizeof middle);
    memcpy(&last, name + bytes - 1, sizeof last);
    const uint64_t mixed = ((uint64_t)first << 32 | (uint64_t)last << 16 | middle) ^ bytes << 40;
    return (uint32_t)(mixed * UINT64_C(0x9E3779B97F4A7C15) >> (64 - LT_JSON_MEMBER_SLOT_BITS));
}

// Whether `name":` is the entry's. Reads 32 bytes.
static inline bool name_is(const lt_json_member_name *entry, const char *name) {
#if defined(__SSE2__)
    const __m128i *at = (const __m128i *)(const void *)name, *text = (const __m128i *)(const void *)entry->text;
    const uint32_t first = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(at), _mm_loadu_si128(text)));
    const uint32_t second =
        (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(at + 1), _mm_loadu_si128(text + 1)));
    return (~(first | second << 16) & entry->mask) == 0;
#else
    return memcmp(name, entry->text, (size_t)__builtin_popcount(entry->mask)) == 0;
#endif
}

static void name_set(lt_json_member_name *entry, const char *name, size_t bytes) {
    *entry = (lt_json_member_name){.name = name, .bytes = (uint32_t)bytes, .text = "\n", .mask = 1, .is_other = 1};
    if (bytes + 2 > sizeof entry->text) return; // no name starts with the end of a line
    memcpy(entry->text, name, bytes);
    entry->text[bytes]     = '"';
    entry->text[bytes + 1] = ':';
    entry->mask            = UINT32_MAX >> (30 - bytes);
}

// The entry of a name, or the free one where it would be; NULL: neither within some steps, and no column has the name.
static lt_json_member_name *name_find(const lt_json_members *self, const char *name, size_t bytes) {
    uint32_t at = name_hash(name, bytes);
    for (uint32_t probe = 0;; probe++, at = (at + 1) % SLOTS) {
        lt_json_member_name *entry = &self->names[at];
        if (entry->name == NULL) return probe < PROBES_MAX ? entry : NULL;
        if (entry->bytes == bytes && memcmp(entry->name, name, bytes) == 0) return entry;
    }
}

// Whether the text is what it stands for: UTF-8 without escapes and control bytes.
static bool name_is_plain(const char *name, size_t bytes) {
    const char *end = name + bytes, *at = name;
    for (;;) {
        at = lt_scan_json_text(at, end);
        if (at == end) return lt_json_is_utf8(name, bytes);
        if ((unsigned char)*at < 0x80) return false;
        at++;
    }
}

// The entry of a name that is long or not at its first place; NULL: the caller's caller shall see to the row.
static const lt_json_member_name *name_search(lt_json_members *self, const char *name, size_t bytes) {
    static const lt_json_member_name other = {.is_other = 1};
    if (name[bytes] != '"' || name[bytes + 1] != ':') return NULL;
    lt_json_member_name *entry = name_find(self, name, bytes);
    if (entry != NULL && entry->name != NULL) return entry;
    if (!name_is_plain(name, bytes)) return NULL;
    if (entry == NULL || self->remembered == LT_JSON_MEMBER_NAMES || bytes > NAME_BYTES_MAX) return &other;
    char *copy = lt_arena_alloc(self->arena, bytes + 1);
    if (copy == NULL) return &other;
    memcpy(copy, name, bytes);
    self->remembered++;
    name_set(entry, copy, bytes);
    return entry;
}

leat_status lt_json_members_open(lt_json_members *self, const lt_json_columns *columns, const uint32_t *span_run,
                                 lt_arena *arena, leat_error *err) {
    *self         = (lt_json_members){.arena = arena};
    uint32_t runs = 0;
    for (uint32_t c = 0; c < columns->count; c++) runs += columns->is_read[c];
    if (runs > LT_JSON_MEMBER_COLUMNS) return LEAT_OK;
    LT_TRY_NEW_ARRAY(self->names, arena, SLOTS, err);
    for (uint32_t i = 0; i < SLOTS; i++) name_set(&self->names[i], NULL, sizeof self->names[i].text);
    for (uint32_t c = 0; c < columns->count; c++) {
        const uint32_t bytes = columns->name_bytes[c], run = span_run[c] / LT_JSON_BATCH_ROWS;
        // A name that needs escapes in JSON meets no name that stands for itself.
        if (!columns->is_read[c] || !name_is_plain(columns->fields[c].name, bytes)) continue;
        char *name = lt_arena_alloc(arena, (size_t)bytes + 2); // with its quotes, as the hash sees it
        if (name == NULL) return lt_raise_no_memory(err);
        memcpy(name + 1, columns->fields[c].name, bytes);
        name[0] = name[bytes + 1] = '"';
        uint32_t at               = name_hash(name + 1, bytes);
        while (self->names[at].name != NULL) at = (at + 1) % SLOTS;
        lt_json_member_name *entry = &self->names[at];
        name_set(entry, name + 1, bytes);
        entry->is_read  = UINT32_MAX;
        entry->is_other = 0;
        entry->spans    = span_run[c];
        entry->bit      = run < 64 ? UINT64_C(1) << run : 0;
    }
    self->is_usable = true;
    return LEAT_OK;
}

// -------------------------------------------------------------------------------------------------------------- spacing

void lt_json_members_learn(lt_json_members *self, const char *row, const char *end) {
    const char *at = row + 2, *comma = NULL;
    if (!self->is_usable || end - row < 6 || row[0] != '{' || row[1] != '"') return;
    while (at < end && *at != '"' && *at != '\\') at++;
    if (end - at < 4 || at[0] != '"' || at[1] != ':') return;
    const char *value   = at + 2 + (at[2] == ' ');
    bool        is_text = false;
    uint32_t    depth   = 1;
    for (const char *byte = value; byte < end && comma == NULL; byte++) {
        if (is_text && *byte == '\\')
            byte++;
        else if (*byte == '"')
            is_text = !is_text;
        else if (!is_text && (*byte == '{' || *byte == '['))
            depth++;
        else if (!is_text && (*byte == '}' || *byte == ']'))
            depth--;
        else if (!is_text && *byte == ',' && depth == 1)
            comma = byte;
    }
    self->colon_bytes = at[2] == ' ' ? 3 : 2;
    self->comma_bytes = (comma != NULL ? comma + 1 < end && comma[1] == ' ' : at[2] == ' ') ? 2 : 1;
    self->end_bytes   = end[-2] == '\r' ? 2 : 1;
    self->is_ready    = true;
}

// -------------------------------------------------------------------------------------------------------------- members

// What the quotes of a text add to its span: one byte later, a text, one byte earlier.
#define TEXT_STEP (1u + (1u << 15) - (1u << 16))

// Values of a row.
static uint32_t count_spans(const lt_json_places *places, uint32_t row) {
    uint32_t count = 0;
    for (uint32_t run = 0; run < places->run_count; run++) count += places->spans[run * LT_JSON_BATCH_ROWS + row] != 0;
    return count;
}

static inline uint16_t pair_of(const char *bytes) {
    uint16_t pair;
    memcpy(&pair, bytes, sizeof pair);
    return pair;
}

// What stands before position `next`, the start of a name or the end of a line, if a value ends there: its bytes, or 0.
static inline uint32_t end_bytes(const lt_json_members *self, const char *bytes, uint32_t next) {
    const bool     is_end = bytes[next] == '\n';
    const uint32_t count  = is_end ? self->end_bytes : self->comma_bytes;
    if (count == 2 && bytes[next - 1] != (is_end ? '\r' : ' ')) return 0;
    return bytes[next - count] == (is_end ? '}' : ',') ? count : 0;
}

// Behind the object or array that is the value at `value`, if it ends on its line and what follows is as it should be;
// else 0. Moves *cursor behind its quotes.
static uint32_t nested_end(const lt_json_members *self, lt_json_lanes *lanes, const lt_json_piece *piece,
                           uint32_t value, uint32_t *cursor) {
    const uint16_t *positions = piece->index->positions;
    const char     *bytes     = piece->bytes;
    const uint32_t  limit     = piece->readable < LT_JSON_INDEX_BYTES ? piece->readable : LT_JSON_INDEX_BYTES;
    if (value >= limit || (bytes[value] != '{' && bytes[value] != '[') ||
        (self->colon_bytes == 3 && bytes[value - 1] != ' '))
        return 0;
    const size_t nested_bytes = lt_json_lanes_nested_bytes(lanes, bytes + value, limit - value);
    if (nested_bytes == 0) return 0;
    const uint32_t end = value + (uint32_t)nested_bytes;
    for (; *cursor < piece->index->count && positions[*cursor] < end; ++*cursor)
        if (bytes[positions[*cursor]] == '\n') return 0;
    if (*cursor == piece->index->count) return 0;
    const uint32_t next = positions[*cursor], count = end_bytes(self, bytes, next);
    return count != 0 && end + count == next ? end : 0;
}

// Whether all texts between the quotes [c, end) are what texts may be, names among them.
static bool texts_are_good(lt_json_lanes *lanes, const char *bytes, const uint16_t *positions, uint32_t c,
                           uint32_t end) {
    for (; c < end; c += 2)
        if (!lt_json_lanes_text_is_good(lanes, bytes + positions[c] + 1, (size_t)positions[c + 1] - positions[c] - 1))
            return false;
    return true;
}

// The number of rows before the first of `rows` that has a bad value among the others.
static uint32_t judge_others(lt_json_lanes *lanes, const lt_json_piece *piece, const lt_json_places *places,
                             uint32_t count, uint32_t rows) {
    const lt_value_span *others = places->spans + places->run_count * LT_JSON_BATCH_ROWS;
    const uint32_t       good   = lt_json_lanes_good_bares(lanes, piece->bytes, others, count, 1);
    uint32_t             row    = 0;
    if (good == count) return rows;
    while (row < rows && piece->index->positions[places->cursors[row] - 1] < lt_value_span_start(others[good])) row++;
    return row;
}

// Truths are whole words here, as a byte that is spilled and read as a word would stall the loop. `is_compact`: no
// blanks, so that lengths are constants.
static inline uint32_t locate_any(lt_json_members *self, lt_json_lanes *lanes, const lt_json_piece *piece,
                                  lt_json_places *places, uint32_t *cursor, uint32_t start, uint32_t rows_max,
                                  const bool is_compact) {
    const char *const          bytes       = piece->bytes;
    const lt_json_index *const index       = piece->index;
    const uint16_t *const      positions   = index->positions;
    const lt_json_member_name *names       = self->names;
    const bool                 has_marks   = index->has_marks;
    const uint32_t             run_count   = places->run_count;
    const uint32_t             colon_bytes = is_compact ? 2 : self->colon_bytes;
    const uint16_t             seps[2]     = {pair_of("\","), pair_of("\"}")};
    const uint16_t             masks[2]    = {pair_of("\0\xFF"), pair_of("\xFF\xFF")};
    lt_value_span *const       spans       = places->spans;
    uint32_t                   row = 0, c = *cursor, other = run_count * LT_JSON_BATCH_ROWS;
    places->stride = 0;
    if (piece->readable <= LT_JSON_PAD) return 0;
    // Behind the last position stand numbers beyond any limit.
    const uint32_t limit =
        piece->readable - LT_JSON_PAD < LT_JSON_INDEX_BYTES ? piece->readable - LT_JSON_PAD : LT_JSON_INDEX_BYTES;
    for (; row < rows_max; row++) {
        if (positions[c] != start + 1 || start + 1 > limit || bytes[start] != '{' || bytes[start + 1] != '"') break;
        for (uint32_t run = 0; run < run_count; run++) spans[run * LT_JSON_BATCH_ROWS + row] = 0;
        const uint32_t first_c    = c;
        uint64_t       seen       = 0;
        uint32_t       read_count = 0, next;
        size_t         is_end;
        do {
            if (positions[c + 4] > limit) goto done;
            const uint32_t             open = positions[c], close = positions[c + 1];
            const size_t               name_bytes = (size_t)close - open - 1;
            const char                *name       = bytes + open + 1;
            const lt_json_member_name *entry      = &names[name_hash(name, name_bytes)];
            if (__builtin_expect(!name_is(entry, name), 0)) {
                entry = name_search(self, name, name_bytes);
                if (entry == NULL) goto done;
            }
            const uint32_t value   = close + colon_bytes;
            const size_t   is_text = positions[c + 2] == value;
            uint32_t       next_c  = c + 2 + 2 * (uint32_t)is_text;
            next                   = positions[next_c];
            is_end                 = bytes[next] == '\n';
            uint32_t value_end = next - 1, wrong = 0;
            if (!is_compact) {
                const uint32_t more = (is_end != 0 ? self->end_bytes : self->comma_bytes) - 1;
                value_end -= more;
                wrong = (uint32_t)(more != 0 && bytes[next - 1] != (is_end != 0 ? '\r' : ' ')) |
                        (uint32_t)(bytes[value - 1] != (colon_bytes == 2 ? ':' : ' '));
            }
            const uint32_t first = (unsigned char)bytes[value];
            wrong |= (uint32_t)(pair_of(bytes + value_end - 1) ^ seps[is_end]) & masks[is_text];
            wrong |= (((positions[next_c - 1] + 1u) ^ value_end) | (first ^ '"')) & -(uint32_t)is_text;
            uint32_t is_other = entry->is_other & ~(uint32_t)is_text;
            if (__builtin_expect(wrong != 0, 0)) {
                next_c    = c + 2;
                value_end = nested_end(self, lanes, piece, value, &next_c);
                if (value_end == 0 || positions[next_c] > limit) goto done;
                next     = positions[next_c];
                is_end   = bytes[next] == '\n';
                is_other = 0; // judged
            }
            if (__builtin_expect((seen & entry->bit) != 0, 0)) goto done; // a second member of that name
            seen |= entry->bit;
            if (run_count > 64) read_count += entry->is_read & 1;
            spans[other ^ ((other ^ (entry->spans + row)) & entry->is_read)] =
                lt_value_span_of(value, value_end, false) + (TEXT_STEP & -(uint32_t)is_text);
            other += is_other;
            c = next_c;
        } while (is_end == 0);
        if (run_count > 64 && read_count != count_spans(places, row)) goto done;
        places->is_careful[row] = has_marks && lt_json_index_is_marked(index, start, next);
        if (places->is_careful[row] != 0 && !texts_are_good(lanes, bytes, positions, first_c, c)) break;
        c++;
        start                = next + 1;
        places->cursors[row] = c;
    }
done:
    row     = judge_others(lanes, piece, places, other - run_count * LT_JSON_BATCH_ROWS, row);
    *cursor = row == 0 ? *cursor : places->cursors[row - 1];
    return row;
}

uint32_t lt_json_members_locate(lt_json_members *self, lt_json_lanes *lanes, const lt_json_piece *piece,
                                lt_json_places *places, uint32_t *cursor, uint32_t start, uint32_t rows_max) {
    if (!self->is_ready) return 0;
    if (self->colon_bytes == 2 && self->comma_bytes == 1 && self->end_bytes == 1)
        return locate_any(self, lanes, piece, places, cursor, start, rows_max, true);
    return locate_any(self, lanes, piece, places, cursor, start, rows_max, false);
}
