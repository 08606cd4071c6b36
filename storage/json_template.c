// Learning walks a row that is known to be good, so it only looks for where values begin and end.
#include "storage/json_template.h"

enum { DEPTH_MAX = 200 };

typedef struct learner {
    lt_json_template *template;
    const lt_json_columns *columns;
    const char            *next, *end;
    const char            *literal;  // its start
    int32_t                position; // number of the next quote
    int32_t                anchor;   // of the literal: the quote it begins with; -1: hangs on its first quote or \n
    int32_t                column;   // of the last name at depth 1
    uint32_t               depth;
    uint32_t               bares, texts, reads;
    size_t                 first_bytes, last_bytes; // of the first literal and of the one that was ended last
    lt_json_slot          *open_bare;               // ends where the next literal begins
    bool                   refuses;
} learner;

leat_status lt_json_template_init_scratch(lt_json_template *scratch, lt_arena *arena, leat_error *err) {
    *scratch = (lt_json_template){.check_capacity = LT_JSON_TEMPLATE_CHECKS, .slot_capacity = LT_JSON_TEMPLATE_VALUES};
    scratch->checks = lt_arena_alloc(arena, LT_JSON_TEMPLATE_CHECKS * sizeof *scratch->checks);
    scratch->slots  = lt_arena_alloc(arena, LT_JSON_TEMPLATE_VALUES * sizeof *scratch->slots);
    return scratch->checks == NULL || scratch->slots == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static const char *text_end(const char *quote, const char *end) {
    for (const char *at = quote + 1; at < end; at++) {
        if (*at == '"') return at;
        if (*at == '\\') at++;
    }
    return end;
}

static bool is_blank(char byte) { return byte == ' ' || byte == '\t'; }

static bool ends_bare(char byte) {
    return byte == ',' || byte == '}' || byte == ']' || is_blank(byte) || byte == '\r' || byte == '\n';
}

// Cuts the literal [literal, end) into checks; *out_anchor and *out_delta say where it starts.
static void literal_end(learner *self, const char *end, int32_t *out_anchor, int32_t *out_delta) {
    lt_json_template *template = self->template;
    const size_t bytes         = (size_t)(end - self->literal);
    *out_anchor                = self->anchor;
    *out_delta                 = 0;
    if (self->anchor < 0) {
        size_t first = 0;
        while (first < bytes && self->literal[first] != '"' && self->literal[first] != '\n') first++;
        // Two bare values with no quote between them, as in [1,2].
        if (first == bytes) self->refuses = true;
        int32_t quotes = 0;
        for (size_t i = 0; i < bytes; i++) quotes += self->literal[i] == '"';
        *out_anchor = self->position - quotes;
        *out_delta  = -(int32_t)first;
    }
    if (self->open_bare != NULL) {
        self->open_bare->end_anchor = *out_anchor;
        self->open_bare->end_delta  = *out_delta;
        self->open_bare             = NULL;
    }
    self->last_bytes = bytes;
    if (template->check_count == 0) self->first_bytes = bytes;
    for (size_t done = 0; done < bytes && !self->refuses; done += 16) {
        if (template->check_count == LT_JSON_TEMPLATE_CHECKS) {
            self->refuses = true;
            return;
        }
        const size_t   piece    = bytes - done < 16 ? bytes - done : 16;
        lt_json_check *check    = &template->checks[template->check_count++];
        unsigned char  text[16] = {0}, mask[16] = {0};
        memcpy(text, self->literal + done, piece);
        memset(mask, 0xFF, piece);
        memcpy(&check->text, text, sizeof text);
        memcpy(&check->mask, mask, sizeof mask);
        check->anchor = *out_anchor;
        check->delta  = *out_delta + (int32_t)done;
        if (check->delta < 0 && (uint32_t)-check->delta > template->before) template->before = (uint32_t)-check->delta;
        if (check->delta > 0 && (uint32_t)check->delta > template->behind) template->behind = (uint32_t)check->delta;
    }
}

// A value [text, end) begins: the literal before it ends. Texts are without quotes.
static lt_json_slot *slot_begin(learner *self, const char *text, bool is_text) {
    lt_json_template *template = self->template;
    int32_t anchor, delta;
    literal_end(self, text, &anchor, &delta);
    if (template->slot_count == LT_JSON_TEMPLATE_VALUES) self->refuses = true;
    for (uint32_t i = 0; i < template->slot_count && self->depth == 1 && self->column >= 0; i++)
        if (template->slots[i].column == self->column) self->refuses = true; // a second member of that name
    if (self->depth > DEPTH_MAX) self->refuses = true;
    if (self->refuses) return NULL;
    lt_json_slot *slot = &template->slots[template->slot_count++];
    *slot              = (lt_json_slot){.start_anchor = anchor,
                                        .start_delta  = delta + (int32_t)(text - self->literal),
                                        .column       = self->depth == 1 ? self->column : -1,
                                        .is_text      = is_text,
                                        .depth        = (uint8_t)self->depth};
    if (slot->column >= 0)
        self->reads++;
    else if (is_text)
        self->texts++;
    else
        self->bares++;
    return slot;
}

static void take_string(learner *self) {
    const char *close = text_end(self->next, self->end), *behind = close + 1;
    self->position++;
    while (behind < self->end && is_blank(*behind)) behind++;
    if (behind < self->end && *behind == ':') {
        const size_t bytes = (size_t)(close - self->next) - 1;
        if (memchr(self->next, '\\', bytes + 1) != NULL) self->refuses = true;
        self->position++;
        if (self->depth == 1) {
            self->column = -1;
            for (uint32_t c = 0; c < self->columns->count && self->column < 0; c++)
                if (self->columns->is_read[c] && self->columns->name_bytes[c] == bytes &&
                    memcmp(self->columns->fields[c].name, self->next + 1, bytes) == 0)
                    self->column = (int32_t)c;
        }
        self->next = behind + 1;
        return;
    }
    lt_json_slot *slot = slot_begin(self, self->next + 1, true);
    if (slot == NULL) return;
    slot->end_anchor = self->position++;
    self->literal    = close;
    self->anchor     = slot->end_anchor;
    self->next       = close + 1;
}

static void take_bare(learner *self, const char *end) {
    self->open_bare = slot_begin(self, self->next, false);
    self->literal = self->next = end;
    self->anchor               = -1;
}

// The bracket that closes the array at `open`, if there is no quote before it.
static const char *plain_array_end(const char *open, const char *end) {
    uint32_t depth = 0;
    for (const char *at = open; at < end && *at != '"'; at++) {
        depth += *at == '[' || *at == '{';
        depth -= *at == ']' || *at == '}';
        if (depth == 0) return at + 1;
    }
    return NULL;
}

static void walk(learner *self) {
    while (self->next < self->end && !self->refuses) {
        const char  byte  = *self->next;
        const char *array = byte == '[' ? plain_array_end(self->next, self->end) : NULL;
        if (byte == '"') {
            take_string(self);
        } else if (array != NULL) {
            take_bare(self, array);
        } else if (byte == '{' || byte == '[') {
            if (self->depth == 1 && self->column >= 0) self->refuses = true; // a nested column is the walker's
            self->depth++;
            self->next++;
        } else if (byte == '}' || byte == ']') {
            self->depth--;
            self->next++;
        } else if (byte == ':' || byte == ',' || is_blank(byte) || byte == '\r' || byte == '\n') {
            self->next++;
        } else {
            const char *end = self->next;
            while (end < self->end && !ends_bare(*end)) end++;
            take_bare(self, end);
        }
    }
}

static leat_status copy_out(const learner *self, lt_json_template *into, lt_arena *arena, leat_error *err) {
    const lt_json_template *from = self->template;
    lt_json_template        copy = *from;
    copy.checks                  = into->checks;
    copy.slots                   = into->slots;
    copy.missing                 = into->missing;
    copy.check_capacity          = into->check_capacity;
    copy.slot_capacity           = into->slot_capacity;
    if (copy.missing == NULL) LT_TRY_NEW_ARRAY(copy.missing, arena, self->columns->count + 1, err);
    into->missing = copy.missing;
    if (copy.check_capacity < from->check_count) {
        const uint32_t capacity = from->check_count < 32 ? 64 : from->check_count * 2;
        LT_TRY_NEW_ARRAY(copy.checks, arena, capacity, err);
        into->checks        = copy.checks;
        copy.check_capacity = into->check_capacity = capacity;
    }
    if (copy.slot_capacity < from->slot_count) {
        const uint32_t capacity = from->slot_count < 16 ? 32 : from->slot_count * 2;
        LT_TRY_NEW_ARRAY(copy.slots, arena, capacity, err);
        into->slots        = copy.slots;
        copy.slot_capacity = into->slot_capacity = capacity;
    }
    memcpy(copy.checks, from->checks, from->check_count * sizeof *from->checks);
    uint32_t reads = 0, bares = self->reads, texts = self->reads + self->bares;
    for (uint32_t i = 0; i < from->slot_count; i++) {
        const lt_json_slot *slot                                                    = &from->slots[i];
        copy.slots[slot->column >= 0 ? reads++ : slot->is_text ? texts++ : bares++] = *slot;
    }
    copy.read_count    = reads;
    copy.bare_count    = self->bares;
    copy.missing_count = 0;
    for (uint32_t c = 0; c < self->columns->count; c++) {
        bool is_missing = self->columns->is_read[c];
        for (uint32_t i = 0; i < reads && is_missing; i++) is_missing = copy.slots[i].column != (int32_t)c;
        if (is_missing) copy.missing[copy.missing_count++] = (int32_t)c;
    }
    *into = copy;
    return LEAT_OK;
}

static void seam_make(const learner *self) {
    lt_json_template *template = self->template;
    const size_t last = self->last_bytes, first = self->first_bytes;
    template->has_seam = template->check_count >= 2 && last + first <= 16;
    if (!template->has_seam) return;
    unsigned char text[16] = {0}, mask[16] = {0};
    memcpy(text, &template->checks[template->check_count - 1].text, last);
    memcpy(text + last, &template->checks[0].text, first);
    memset(mask, 0xFF, last + first);
    memcpy(&template->seam.text, text, sizeof text);
    memcpy(&template->seam.mask, mask, sizeof mask);
    template->seam.anchor = 0;
    template->seam.delta  = -(int32_t)(template->first_quote + last);
}

leat_status lt_json_template_learn(lt_json_template *template, lt_json_template *scratch,
                                   const lt_json_columns *columns, const char *row, const char *end, lt_arena *arena,
                                   bool *out_is_learned, leat_error *err) {
    scratch->check_count = scratch->slot_count = 0;
    scratch->before = scratch->behind = 0;
    learner self                      = {
                             .template = scratch, .columns = columns, .next = row, .end = end, .literal = row, .anchor = -1, .column = -1};
    int32_t anchor, delta;
    *out_is_learned = false;
    walk(&self);
    if (!self.refuses) literal_end(&self, end, &anchor, &delta);
    if (self.refuses || self.depth != 0) return LEAT_OK;
    scratch->position_count = (uint32_t)self.position + 1;
    scratch->first_quote    = 0;
    while (row[scratch->first_quote] != '"' && row[scratch->first_quote] != '\n') scratch->first_quote++;
    *out_is_learned = true;
    seam_make(&self);
    return copy_out(&self, template, arena, err);
}

bool lt_json_template_equal(const lt_json_template *a, const lt_json_template *b) {
    return a->check_count == b->check_count && a->position_count == b->position_count &&
           memcmp(a->checks, b->checks, a->check_count * sizeof *a->checks) == 0;
}
