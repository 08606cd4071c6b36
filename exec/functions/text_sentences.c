// sentences: the words of each sentence of a text. A sentence ends with . ! or ? before a blank or the end; a word is a
// run of letters, digits and marks, apostrophes inside included. Source: Spark SQL 4, whose cuts come from Java's
// BreakIterator; this is its rule for plain text.
#include "base/function.h"
#include "base/utf8.h"

static bool is_word_character(int32_t character) {
    return character >= 0 &&
           (lt_utf8_is_letter((uint32_t)character) || lt_utf8_is_digit((uint32_t)character) || character == '_');
}

// An apostrophe, point or comma between word characters belongs to the word: it's, 3.5.
static bool joins(lt_text text, size_t at, size_t next, int32_t character) {
    if (character != '\'' && character != '.' && character != ',' && character != 0x2019) return false;
    if (at == 0 || next >= text.bytes) return false;
    size_t  before = lt_utf8_before(text.data, at), behind = next;
    int32_t left  = lt_utf8_decode(text.data, text.bytes, &before),
            right = lt_utf8_decode(text.data, text.bytes, &behind);
    if (character == ',') return lt_utf8_is_digit((uint32_t)left) && lt_utf8_is_digit((uint32_t)right);
    return is_word_character(left) && is_word_character(right);
}

static bool ends_sentence(lt_text text, size_t next, int32_t character) {
    if (character != '.' && character != '!' && character != '?') return false;
    const size_t behind = next;
    while (next < text.bytes && (text.data[next] == ' ' || (text.data[next] >= '\t' && text.data[next] <= '\r')))
        next++;
    if (next >= text.bytes) return true;
    // A point before a word in lower case is that of an abbreviation.
    return next > behind && (character != '.' || !(text.data[next] >= 'a' && text.data[next] <= 'z'));
}

typedef struct cutting {
    lt_call   *call;
    lt_vector *sentences, *words;
    uint32_t   first_word; // of the sentence
} cutting;

static leat_status close_sentence(cutting *self, leat_error *err) {
    if (self->words->lanes == self->first_word) return LEAT_OK;
    LT_TRY(lt_vector_reserve(self->sentences, self->sentences->lanes + 1, self->call->arena, err));
    LT_LANES(self->sentences, lt_list)
    [self->sentences->lanes++] = (lt_list){self->first_word, self->words->lanes - self->first_word};
    self->first_word           = self->words->lanes;
    return LEAT_OK;
}

static leat_status cut(cutting *self, lt_text text, leat_error *err) {
    size_t start   = 0;
    bool   is_word = false;
    for (size_t at = 0; at <= text.bytes;) {
        size_t  next      = at;
        int32_t character = at < text.bytes ? lt_utf8_decode(text.data, text.bytes, &next) : -1;
        if (is_word_character(character) || (is_word && joins(text, at, next, character))) {
            if (!is_word) start = at;
            is_word = true;
        } else {
            if (is_word) LT_TRY(lt_call_append_view(self->call, self->words, text.data + start, at - start, err));
            is_word = false;
            if (at == text.bytes) break;
            if (ends_sentence(text, next, character)) LT_TRY(close_sentence(self, err));
        }
        at = next;
    }
    return close_sentence(self, err);
}

static leat_status sentences_evaluate(lt_call *call, leat_error *err) {
    cutting self = {.call = call, .sentences = &call->result->children[0]};
    self.words   = &self.sentences->children[0];
    LT_EACH_ROW(call, row) {
        uint32_t first = self.sentences->lanes;
        if (lt_arg_is_null(call, 0, row)) {
            LT_TRY(lt_call_put_null(call, row, err));
            continue;
        }
        LT_TRY(cut(&self, lt_arg_text(call, 0, row), err));
        LT_LANES(call->result, lt_list)[row] = (lt_list){first, self.sentences->lanes - first};
    }
    return LEAT_OK;
}

static leat_status sentences_resolve(lt_resolution *resolution, leat_error *err) {
    for (uint32_t i = 0; i < resolution->argument_count; i++) {
        if (lt_kind_is_nested(resolution->types[i]->kind)) return LEAT_DONE;
        resolution->types[i] = lt_type_of(LT_STRING);
    }
    const lt_type *words = lt_type_array(resolution->arena, lt_type_of(LT_STRING));
    resolution->result   = words == NULL ? NULL : lt_type_array(resolution->arena, words);
    return resolution->result == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

#define SENTENCES                                                                                                      \
    .name = "sentences", .resolve = sentences_resolve, .can_fail = true, .is_null_aware = true,                        \
    .evaluate = sentences_evaluate

const lt_function lt_functions_text_sentences[] = {
    {SENTENCES, .takes = {LT_TAKES_STRING}, .display = "sentences($1, , )",
     .summary = "Words of each sentence; language and country are taken and change nothing.",
     .example = "SELECT sentences('Hi there! Good morning.')", .example_result = "[[Hi, there], [Good, morning]]",
     .since_note = "Cuts follow plain rules, not those of a language."},
    {SENTENCES, .takes = {LT_TAKES_STRING, LT_TAKES_STRING}, .display = "sentences($1, $2, )"},
    {SENTENCES, .takes = {LT_TAKES_STRING, LT_TAKES_STRING, LT_TAKES_STRING}},
    {0},
};
