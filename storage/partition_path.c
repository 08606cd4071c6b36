#include "storage/partition_path.h"

#include "base/datetime_text.h"
#include "base/number_text.h"
#include "storage/file_listing.h"
#include "storage/file_source.h"
#include "storage/glob.h"

#include <string.h>

// Folders are walked by a work list, level by level: all folders of a level name one column.

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// %XX stands for a character that no file system would take.
static leat_status text_decode(lt_arena *arena, const char *text, size_t bytes, const char **out, leat_error *err) {
    char  *copy = lt_arena_text(arena, text, bytes);
    size_t to   = 0;
    if (copy == NULL) return lt_raise_no_memory(err);
    for (size_t i = 0; i < bytes; i++) {
        const int high = text[i] == '%' && i + 2 < bytes ? hex_digit(text[i + 1]) : -1,
                  low  = high >= 0 ? hex_digit(text[i + 2]) : -1;
        copy[to++]     = low < 0 ? text[i] : (char)(high * 16 + low);
        if (low >= 0) i += 2;
    }
    copy[to] = '\0';
    *out     = copy;
    return LEAT_OK;
}

static leat_status value_decode(lt_arena *arena, const char *part, size_t bytes, lt_partition_value *out,
                                leat_error *err) {
    static const char null_text[] = "__HIVE_DEFAULT_PARTITION__";
    const char       *equals      = memchr(part, '=', bytes);
    const char       *text        = equals + 1;
    const size_t      text_bytes  = bytes - (size_t)(text - part);
    LT_TRY(text_decode(arena, part, (size_t)(equals - part), &out->name, err));
    out->text = NULL;
    if (text_bytes == sizeof null_text - 1 && memcmp(text, null_text, text_bytes) == 0) return LEAT_OK;
    return text_decode(arena, text, text_bytes, &out->text, err);
}

static bool is_partition_name(const char *part, size_t bytes) {
    return bytes > 1 && part[0] != '=' && memchr(part, '=', bytes) != NULL;
}

leat_status lt_partition_values(const char *root, const char *path, lt_arena *arena, lt_partition_value *out,
                                uint32_t *out_count, leat_error *err) {
    const size_t root_bytes = strlen(root);
    *out_count              = 0;
    if (strncmp(path, root, root_bytes) != 0) return LEAT_OK;
    for (const char *part = path + root_bytes; *out_count < LT_PARTITION_DEPTH_MAX;) {
        while (*part == '/') part++;
        const size_t bytes = strcspn(part, "/");
        if (part[bytes] == '\0') break; // the file
        if (is_partition_name(part, bytes)) LT_TRY(value_decode(arena, part, bytes, &out[(*out_count)++], err));
        part += bytes;
    }
    return LEAT_OK;
}

// --------------------------------------------------------------------------------------------------------------- types

static bool is_big_integer(const char *text, uint32_t *out_digits) {
    const char *digits = text + (*text == '-' || *text == '+');
    *out_digits        = (uint32_t)strspn(digits, "0123456789");
    return *out_digits > 0 && digits[*out_digits] == '\0' && *out_digits <= 38;
}

// Of a value that is not NULL.
static const lt_type *type_of_text(lt_arena *arena, const lt_datetime_context *context, const char *text) {
    const size_t bytes = strlen(text);
    int64_t      number;
    int32_t      days;
    double       real;
    uint32_t     digits;
    if (bytes == 0) return lt_type_of(LT_STRING);
    const bool has_blank = text[0] == ' ' || text[bytes - 1] == ' ';
    if (!has_blank && lt_int64_parse(text, bytes, &number) == LT_NUMBER_OK)
        return lt_type_of(number >= INT32_MIN && number <= INT32_MAX ? LT_INT : LT_BIGINT);
    if (is_big_integer(text, &digits)) return lt_type_decimal(arena, digits, 0);
    if (!has_blank && lt_double_parse_java(text, bytes, &real)) return lt_type_of(LT_DOUBLE);
    if (bytes == 10 && lt_date_parse(text, bytes, &days)) return lt_type_of(LT_DATE);
    if (bytes >= 19 && text[10] == ' ' && lt_timestamp_parse(context, text, bytes, &number))
        return lt_type_of(LT_TIMESTAMP);
    return lt_type_of(LT_STRING);
}

static uint32_t integer_digits(const lt_type *type) {
    return type->kind == LT_INT ? 10 : type->kind == LT_BIGINT ? 20 : type->kind == LT_DECIMAL ? type->precision : 0;
}

// BIGINT and DECIMAL do not go into DOUBLE without loss: then the texts stay.
static const lt_type *type_merge(lt_arena *arena, const lt_type *a, const lt_type *b) {
    if (a == NULL) return b;
    if (a->kind == b->kind && a->kind != LT_DECIMAL) return a;
    const uint32_t left = integer_digits(a), right = integer_digits(b), most = left > right ? left : right;
    if (left > 0 && right > 0)
        return a->kind == LT_DECIMAL || b->kind == LT_DECIMAL ? lt_type_decimal(arena, most, 0) : lt_type_of(LT_BIGINT);
    if ((a->kind == LT_DOUBLE && b->kind == LT_INT) || (a->kind == LT_INT && b->kind == LT_DOUBLE))
        return lt_type_of(LT_DOUBLE);
    if ((a->kind == LT_DATE && b->kind == LT_TIMESTAMP) || (a->kind == LT_TIMESTAMP && b->kind == LT_DATE))
        return lt_type_of(LT_TIMESTAMP);
    return lt_type_of(LT_STRING);
}

// ------------------------------------------------------------------------------------------------------------- folders

typedef struct folder {
    struct folder *next;
    const char    *path;
} folder;

typedef struct walk {
    lt_arena            scratch, *arena;
    const lt_fs        *fs;
    lt_datetime_context context;
    const char         *listed; // the folder being listed
    folder             *first, **last;
    const char         *name; // of this level's column; NULL: no folder yet
    const lt_type      *type; // NULL: only NULL values yet
} walk;

static leat_status folder_take(void *user, const char *name, uint32_t kind, leat_error *err) {
    walk              *self = user;
    lt_partition_value value;
    if (kind == LEAT_FILE_REGULAR || lt_file_name_is_hidden(name) || !is_partition_name(name, strlen(name)))
        return LEAT_OK;
    const char *path = lt_arena_format(&self->scratch, "%s/%s", self->listed, name);
    folder     *next = LT_NEW(&self->scratch, folder);
    if (path == NULL || next == NULL) return lt_raise_no_memory(err);
    if (kind != LEAT_FILE_FOLDER) {
        leat_file_info info;
        if (lt_fs_info_code(self->fs, path, &info) != 0 || info.kind != LEAT_FILE_FOLDER) return LEAT_OK;
    }
    LT_TRY(value_decode(&self->scratch, name, strlen(name), &value, err));
    if (self->name != NULL && strcmp(self->name, value.name) != 0)
        return lt_raise(err, LT_CONFLICTING_PARTITION_COLUMN_NAMES, NULL,
                        "folder `%.200s` stands beside folders of column `%s`", path, self->name);
    if (self->name == NULL) self->name = lt_arena_text(self->arena, value.name, strlen(value.name));
    if (self->name == NULL) return lt_raise_no_memory(err);
    if (value.text != NULL) {
        const lt_type *type = type_of_text(self->arena, &self->context, value.text);
        self->type          = type == NULL ? NULL : type_merge(self->arena, self->type, type);
        if (self->type == NULL) return lt_raise_no_memory(err);
    }
    next->path  = path;
    *self->last = next;
    self->last  = &next->next;
    return LEAT_OK;
}

static leat_status levels_walk(walk *self, const char *root, lt_field *fields, uint32_t *out_count, leat_error *err) {
    folder start = {.path = root}, *level = &start;
    for (*out_count = 0; level != NULL && *out_count < LT_PARTITION_DEPTH_MAX; level = self->first) {
        self->first = NULL;
        self->last  = &self->first;
        self->name  = NULL;
        self->type  = NULL;
        for (; level != NULL; level = level->next) {
            self->listed = level->path;
            LT_TRY(lt_fs_list(self->fs, level->path, folder_take, self, err));
        }
        if (self->name == NULL) break;
        fields[(*out_count)++] =
            (lt_field){.name = self->name, .type = self->type != NULL ? self->type : lt_type_of(LT_STRING)};
    }
    return LEAT_OK;
}

leat_status lt_partition_columns(const lt_source_setup *setup, lt_arena *arena, const lt_type **out_struct,
                                 leat_error *err) {
    const char    *path  = lt_option_text(setup->options, lt_file_options, "path");
    const char    *root  = path == NULL ? NULL : lt_file_pattern_path(arena, path);
    uint32_t       count = 0;
    lt_field       fields[LT_PARTITION_DEPTH_MAX];
    leat_file_info info;
    *out_struct = NULL;
    if (root == NULL || lt_glob_is_pattern(root) || lt_fs_info_code(setup->fs, root, &info) != 0 ||
        info.kind != LEAT_FILE_FOLDER || lt_option_is_true(setup->options, lt_file_options, "recursiveFileLookup"))
        return LEAT_OK;
    walk self = {.arena = arena, .fs = setup->fs};
    LT_TRY(lt_datetime_context_init(&self.context, setup->target->evaluation, err));
    lt_arena_init(&self.scratch, setup->target->account);
    leat_status status = levels_walk(&self, root, fields, &count, err);
    lt_arena_deinit(&self.scratch);
    LT_TRY(status);
    if (count == 0) return LEAT_OK;
    *out_struct = lt_type_struct(arena, fields, count);
    return *out_struct == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}
