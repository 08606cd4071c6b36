// One loop over tokens: each needs to know what the one before was, and where that is a state it is a place in the code
// (what may come behind a value, what may begin one), so that the core foretells it from the path that led there.
#include "storage/json_nested.h"

typedef struct nested {
    lt_json_lanes       *lanes;
    const lt_json_piece *piece;
    const char          *at;
    uint32_t             cursor, limit;
    uint32_t             depth;
    uint64_t             objects; // bit d: bracket d is an object
} nested;

// The byte at the next position is a quote or a newline: it ends whatever loop comes to it.
static inline bool can_look(const nested *self) { return self->piece->index->positions[self->cursor] <= self->limit; }

static inline void skip_blanks(nested *self) {
    while (*self->at == ' ' || *self->at == '\t') self->at++;
}

// The text whose quote is at `at`, a name or a value.
static inline bool take_text(nested *self) {
    const lt_json_piece *piece = self->piece;
    const uint32_t       open  = (uint32_t)(self->at - piece->bytes);
    const uint16_t      *next  = piece->index->positions + self->cursor;
    const uint32_t       close = next[1];
    if (next[0] != open || close > self->limit || piece->bytes[close] != '"') return false;
    if (piece->index->has_marks && lt_json_index_is_marked(piece->index, open, close) &&
        !lt_json_lanes_text_is_good(self->lanes, piece->bytes + open + 1, close - open - 1))
        return false;
    self->cursor += 2;
    self->at = piece->bytes + close + 1;
    return can_look(self);
}

static inline bool take_name(nested *self) {
    if (*self->at != '"' || !take_text(self)) return false;
    skip_blanks(self);
    if (*self->at != ':') return false;
    self->at++;
    skip_blanks(self);
    return true;
}

static inline bool is_digit(char byte) { return (unsigned char)(byte - '0') <= 9; }

static inline bool take_digits(nested *self) {
    const char *first = self->at;
    while (is_digit(*self->at)) self->at++;
    return self->at != first;
}

static inline bool take_number(nested *self) {
    self->at += *self->at == '-';
    const char *first = self->at;
    if (!take_digits(self) || (*first == '0' && self->at != first + 1)) return false;
    if (*self->at == '.') {
        self->at++;
        if (!take_digits(self)) return false;
    }
    if (*self->at == 'e' || *self->at == 'E') {
        self->at++;
        self->at += *self->at == '+' || *self->at == '-';
        if (!take_digits(self)) return false;
    }
    return true;
}

static inline bool take_word(nested *self) {
    const size_t bytes = *self->at == 'f' ? 5 : 4;
    if (!lt_digits_is_word(self->at, bytes)) return false;
    self->at += bytes;
    return true;
}

// Opens the bracket at `at`. *out_is_empty: it is closed already.
static inline bool open_bracket(nested *self, bool *out_is_empty) {
    const bool is_object = *self->at == '{';
    if (self->depth == LT_JSON_NESTED_DEPTH) return false;
    self->objects = self->objects << 1 | is_object;
    self->depth++;
    self->at++;
    skip_blanks(self);
    *out_is_empty = *self->at == (is_object ? '}' : ']');
    return *out_is_empty || !is_object || take_name(self);
}

// Behind a value: closes brackets, or goes to the next value. *out_is_end: the first bracket is closed.
static inline bool end_value(nested *self, bool *out_is_end) {
    for (;;) {
        const bool is_object = (self->objects & 1) != 0;
        skip_blanks(self);
        if (*self->at == ',') {
            self->at++;
            skip_blanks(self);
            return !is_object || take_name(self);
        }
        if (*self->at != (is_object ? '}' : ']')) return false;
        self->at++;
        self->objects >>= 1;
        if (--self->depth == 0) return *out_is_end = true;
    }
}

uint32_t lt_json_nested_end(lt_json_lanes *lanes, const lt_json_piece *piece, uint32_t start, uint32_t limit,
                            uint32_t *cursor) {
    nested self   = {.lanes = lanes, .piece = piece, .at = piece->bytes + start, .cursor = *cursor, .limit = limit};
    bool   is_end = false, is_empty = false;
    if (!can_look(&self)) return 0;
    while (!is_end) {
        const char byte = *self.at;
        if (byte == '"') {
            if (!take_text(&self)) return 0;
        } else if (byte == '{' || byte == '[') {
            if (!open_bracket(&self, &is_empty)) return 0;
            if (!is_empty) continue;
        } else if (byte <= '9' ? !take_number(&self) : !take_word(&self)) {
            return 0;
        }
        if (!end_value(&self, &is_end)) return 0;
    }
    *cursor = self.cursor;
    return (uint32_t)(self.at - piece->bytes);
}
