// What the loop of json_members_loop.h leaves: names that were not met before, nested values, bad values.
#include "storage/json_members.h"

#include "base/byte_scan.h"
#include "storage/json_members_loop.h"
#include "storage/json_nested.h"

_Static_assert(sizeof(lt_json_member_name) == 64, "a line of the cache");

enum { PROBES_MAX = 8, NAME_BYTES_MAX = 1 << 12, RUNS_ASKED = 8, SLOTS = 1 << LT_JSON_MEMBER_SLOT_BITS };

// ---------------------------------------------------------------------------------------------------------------- names

static void name_set(lt_json_members *self, uint32_t slot, const char *name, size_t bytes) {
    lt_json_member_name *entry = &self->names[slot];
    *entry           = (lt_json_member_name){.text = "\n", .mask = 1, .is_other = 1, .spans = self->unread_spans};
    self->keys[slot] = (lt_json_member_key){.name = name, .bytes = (uint32_t)bytes};
    if (bytes + 2 > sizeof entry->text) return; // no name starts with the end of a line
    memcpy(entry->text, name, bytes);
    entry->text[bytes]     = '"';
    entry->text[bytes + 1] = ':';
    entry->mask            = UINT32_MAX >> (30 - bytes);
}

// The slot of a name, or the free one where it would be; SLOTS: neither within some steps, and no column has the name.
static uint32_t name_find(const lt_json_members *self, const char *name, size_t bytes) {
    uint32_t at = name_hash(name, bytes);
    for (uint32_t probe = 0;; probe++, at = (at + 1) % SLOTS) {
        const lt_json_member_key *key = &self->keys[at];
        if (key->name == NULL) return probe < PROBES_MAX ? at : SLOTS;
        if (key->bytes == bytes && memcmp(key->name, name, bytes) == 0) return at;
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
const lt_json_member_name *lt_json_members_search(lt_json_members *self, const char *name, size_t bytes) {
    if (bytes == 0 || name[bytes] != '"' || name[bytes + 1] != ':') return NULL; // its hash tells nothing, or no name
    const uint32_t slot = name_find(self, name, bytes);
    if (slot != SLOTS && self->keys[slot].name != NULL) return &self->names[slot];
    if (!name_is_plain(name, bytes)) return NULL;
    if (slot == SLOTS || self->remembered == LT_JSON_MEMBER_NAMES || bytes > NAME_BYTES_MAX) return &self->other;
    char *copy = lt_arena_alloc(self->arena, bytes + 1);
    if (copy == NULL) return &self->other;
    memcpy(copy, name, bytes);
    self->remembered++;
    name_set(self, slot, copy, bytes);
    return &self->names[slot];
}

static bool runs_everywhere(void) { return true; }

#if defined(__x86_64__) && defined(__GNUC__)
static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}
#endif

const lt_json_members_kernel lt_json_members_kernels[] = {
#if defined(__x86_64__) && defined(__GNUC__)
    {.name = "avx2", .is_supported = has_avx2, .locate = lt_json_members_locate_avx2},
#endif
    {.name = "portable", .is_supported = runs_everywhere, .locate = lt_json_members_locate_portable},
    {0},
};

static const lt_json_members_kernel *kernel_find(const char *name) {
    const lt_json_members_kernel *best = NULL;
    for (const lt_json_members_kernel *kernel = lt_json_members_kernels; kernel->name != NULL; kernel++) {
        if (!kernel->is_supported()) continue;
        if (best == NULL) best = kernel;
        if (strcmp(name, kernel->name) == 0) return kernel;
    }
    return best;
}

leat_status lt_json_members_open(lt_json_members *self, const char *kernel, const lt_json_columns *columns,
                                 const uint32_t *span_run, lt_arena *arena, leat_error *err) {
    *self         = (lt_json_members){.kernel = kernel_find(kernel), .arena = arena};
    uint32_t runs = 0;
    for (uint32_t c = 0; c < columns->count; c++) runs += columns->is_read[c];
    if (runs > LT_JSON_MEMBER_COLUMNS) return LEAT_OK;
    self->unread_spans = runs * LT_JSON_BATCH_ROWS;
    self->other        = (lt_json_member_name){.is_other = 1, .spans = self->unread_spans};
    char *block        = lt_arena_alloc(arena, (SLOTS + 1) * sizeof *self->names);
    if (block == NULL) return lt_raise_no_memory(err);
    self->names = (lt_json_member_name *)(void *)(block + sizeof *self->names - (uintptr_t)block % sizeof *self->names);
    LT_TRY_NEW_ARRAY(self->keys, arena, SLOTS, err);
    for (uint32_t i = 0; i < SLOTS; i++) name_set(self, i, NULL, sizeof self->names[i].text);
    for (uint32_t c = 0; c < columns->count; c++) {
        const uint32_t bytes = columns->name_bytes[c], run = span_run[c] / LT_JSON_BATCH_ROWS;
        // A name that needs escapes in JSON meets no name that stands for itself.
        if (!columns->is_read[c] || !name_is_plain(columns->fields[c].name, bytes)) continue;
        // With its quotes, the colon and a byte before them, as the hash sees it.
        char *text = lt_arena_zero(arena, (size_t)bytes + 6);
        if (text == NULL) return lt_raise_no_memory(err);
        char *name = text + 2;
        memcpy(name, columns->fields[c].name, bytes);
        name[-1] = name[bytes] = '"';
        name[bytes + 1]        = ':';
        uint32_t at            = name_hash(name, bytes);
        while (self->keys[at].name != NULL) at = (at + 1) % SLOTS;
        name_set(self, at, name, bytes);
        lt_json_member_name *entry = &self->names[at];
        entry->is_read             = 1;
        entry->is_other            = 0;
        entry->spans               = span_run[c];
        entry->bit                 = run < 64 ? UINT64_C(1) << run : 0;
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

// What stands before position `next`, the start of a name or the end of a line, if a value ends there: its bytes, or 0.
static inline uint32_t end_bytes(const lt_json_members *self, const char *bytes, uint32_t next) {
    const bool     is_end = bytes[next] == '\n';
    const uint32_t count  = is_end ? self->end_bytes : self->comma_bytes;
    if (count == 2 && bytes[next - 1] != (is_end ? '\r' : ' ')) return 0;
    return bytes[next - count] == (is_end ? '}' : ',') ? count : 0;
}

// Behind the object or array at `value` by the JSON reader, or 0.
static uint32_t odd_nested_end(lt_json_lanes *lanes, const lt_json_piece *piece, uint32_t value, uint32_t limit,
                               uint32_t *cursor) {
    const uint16_t *positions = piece->index->positions;
    const size_t    bytes     = lt_json_lanes_nested_bytes(lanes, piece->bytes + value, limit - value);
    const uint32_t  end = value + (uint32_t)bytes, first = *cursor;
    if (bytes == 0) return 0;
    for (; *cursor < piece->index->count && positions[*cursor] < end; ++*cursor)
        if (piece->bytes[positions[*cursor]] == '\n') return 0;
    // Quotes inside of single quotes: what follows would not be told apart by pairs.
    return *cursor == piece->index->count || (*cursor - first) % 2 != 0 ? 0 : end;
}

// Behind the object or array that is the value at `value`, if it ends on its line and what follows is as it should be;
// else 0. Moves *cursor behind its quotes.
uint32_t lt_json_members_nested_end(const lt_json_members *self, lt_json_lanes *lanes, const lt_json_piece *piece,
                                    uint32_t value, uint32_t *cursor) {
    const uint16_t *positions = piece->index->positions;
    const char     *bytes     = piece->bytes;
    const uint32_t  limit     = piece->readable < LT_JSON_INDEX_BYTES ? piece->readable : LT_JSON_INDEX_BYTES;
    if (value >= limit || (bytes[value] != '{' && bytes[value] != '[') ||
        (self->colon_bytes == 3 && bytes[value - 1] != ' '))
        return 0;
    const uint32_t padded = limit < piece->readable - LT_JSON_PAD ? limit : piece->readable - LT_JSON_PAD;
    uint32_t       end    = lt_json_nested_end(lanes, piece, value, padded, cursor);
    if (end == 0) end = odd_nested_end(lanes, piece, value, limit, cursor);
    if (end == 0) return 0;
    const uint32_t next = positions[*cursor], count = end_bytes(self, bytes, next);
    return count != 0 && end + count == next ? end : 0;
}

// Whether the text behind the quote at `open` is a value of the row that a column reads; few columns are asked.
static bool is_read(const lt_json_places *places, uint32_t row, uint32_t open) {
    const uint32_t run_count = places->run_count <= RUNS_ASKED ? places->run_count : 0;
    for (uint32_t run = 0; run < run_count; run++)
        if (lt_value_span_start(places->spans[run * LT_JSON_BATCH_ROWS + row]) == open + 1) return true;
    return false;
}

bool lt_json_members_texts_are_good(lt_json_lanes *lanes, const lt_json_piece *piece, const lt_json_places *places,
                                    uint32_t row, uint32_t c, uint32_t end) {
    const uint16_t *positions = piece->index->positions;
    for (; c < end; c += 2) {
        const uint32_t open = positions[c], close = positions[c + 1];
        if (!lt_json_index_is_marked(piece->index, open, close) || piece->bytes[close + 1] == ':' ||
            is_read(places, row, open))
            continue;
        if (!lt_json_lanes_text_is_good(lanes, piece->bytes + open + 1, close - open - 1)) return false;
    }
    return true;
}

// The number of rows before the first of `rows` that has a bad value among the others.
uint32_t lt_json_members_judge_others(lt_json_lanes *lanes, const lt_json_piece *piece, const lt_json_places *places,
                                      uint32_t count, uint32_t rows) {
    const lt_value_span *others = lt_json_places_others(places);
    const uint32_t       good   = lt_json_lanes_good_bares(lanes, piece->bytes, others, count, 1);
    uint32_t             row    = 0;
    if (good == count) return rows;
    while (row < rows && piece->index->positions[places->cursors[row] - 1] < lt_value_span_start(others[good])) row++;
    return row;
}

uint32_t lt_json_members_locate_portable(lt_json_members *self, lt_json_lanes *lanes, const lt_json_piece *piece,
                                         lt_json_places *places, uint32_t *cursor, uint32_t start, uint32_t rows_max) {
    return members_locate(self, lanes, piece, places, cursor, start, rows_max);
}
