#include "exec/partitions.h"

#include "base/ascii.h"
#include "exec/evaluate.h"
#include "storage/file_listing.h"
#include "storage/file_source.h"
#include "storage/glob.h"

static bool reads_files(const lt_option_values *options, const char *using_name) {
    const char *connector = lt_option_given(options, "connector");
    if (connector == NULL && using_name != NULL && lt_format_find(using_name) == NULL) connector = using_name;
    return connector == NULL || lt_ascii_compare(connector, "files") == 0;
}

static bool is_among(const lt_field *fields, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++)
        if (lt_ascii_compare(fields[i].name, name) == 0) return true;
    return false;
}

// Columns without those of folders, then those of PARTITIONED BY, then those that only the folders name. A declared type
// stays.
leat_status lt_partitions_append(lt_catalog_entry *entry, const lt_type *folders, lt_arena *arena, leat_error *err) {
    const uint32_t     declared = entry->column_count - entry->partition_count;
    lt_catalog_column *columns;
    uint32_t           count = 0, data_count;
    LT_TRY_NEW_ARRAY(columns, arena, entry->column_count + folders->field_count + 1u, err);
    for (uint32_t c = 0; c < declared; c++)
        if (!is_among(folders->fields, folders->field_count, entry->columns[c].name))
            columns[count++] = entry->columns[c];
    data_count = count;
    for (uint32_t c = declared; c < entry->column_count; c++) columns[count++] = entry->columns[c];
    for (uint32_t i = 0; i < folders->field_count; i++) {
        lt_catalog_column column            = {.name = folders->fields[i].name, .type = folders->fields[i].type};
        bool              is_partitioned_by = false;
        for (uint32_t c = 0; c < entry->column_count; c++) {
            if (lt_ascii_compare(entry->columns[c].name, column.name) != 0) continue;
            column            = entry->columns[c];
            is_partitioned_by = c >= declared;
        }
        if (!is_partitioned_by) columns[count++] = column;
    }
    entry->columns         = columns;
    entry->column_count    = count;
    entry->partition_count = count - data_count;
    return LEAT_OK;
}

leat_status lt_partitions_discover(leat_session *session, const lt_option_values *options, const char *using_name,
                                   lt_evaluation *evaluation, lt_catalog_entry *entry, leat_error *err) {
    lt_decode_target target = {.evaluation = evaluation, .account = &session->account, .corrupt_column = -1};
    lt_source_setup  setup  = {.options     = options,
                               .target      = &target,
                               .fs          = &session->fs,
                               .clock       = session->clock_used,
                               .stream_name = entry->name};
    const lt_type   *folders;
    if (!reads_files(options, using_name)) return LEAT_OK;
    LT_TRY(lt_partition_columns(&setup, &entry->arena, &folders, err));
    return folders == NULL ? LEAT_OK : lt_partitions_append(entry, folders, &entry->arena, err);
}

leat_status lt_stream_partition(lt_stream *stream, const lt_catalog_entry *entry, lt_arena *arena, leat_error *err) {
    const char *path = lt_option_given(&stream->options, "path");
    if (stream->connector->source != &lt_file_source || entry->partition_count == 0 || path == NULL) return LEAT_OK;
    if (entry->changes.kind != LT_CHANGES_NONE)
        return lt_raise(err, LT_NOT_SUPPORTED, NULL, "a stream of changes has no columns of folders");
    if (lt_glob_is_pattern(path)) return LEAT_OK; // names files, whatever their folders are
    stream->partition_count = entry->partition_count;
    stream->partition_root  = lt_file_pattern_path(arena, path);
    return stream->partition_root == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

// The text of a folder as a constant of the column's type.
static leat_status constant_make(const lt_catalog_column *column, const char *text, lt_evaluation *evaluation,
                                 lt_arena *arena, lt_vector *out, leat_error *err) {
    lt_vector        given;
    const lt_vector *value = &given;
    if (text == NULL) return lt_vector_init_constant_null(out, column->type, arena, err);
    LT_TRY(lt_vector_init(&given, lt_type_of(LT_STRING), 1, arena, err));
    LT_LANES(&given, lt_string)[0] = lt_string_view(text, strlen(text));
    given.lanes                    = 1;
    if (column->type->kind != LT_STRING)
        LT_TRY(lt_cast_run(&given, column->type, (uint16_t[]){0}, 1, 1, false, arena, evaluation, NULL, &value, err));
    LT_TRY(lt_vector_init(out, column->type, 1, arena, err));
    LT_TRY(lt_vector_append_row(out, value, 0, arena, err));
    out->form = LT_CONSTANT;
    return LEAT_OK;
}

leat_status lt_partitions_make(const lt_stream *stream, const lt_catalog_entry *relation, const char *file,
                               lt_evaluation *evaluation, lt_arena *arena, lt_vector **out, leat_error *err) {
    const lt_catalog_column *columns = relation->columns + stream->column_count;
    lt_partition_value       values[LT_PARTITION_DEPTH_MAX];
    uint32_t                 count;
    LT_TRY(lt_partition_values(stream->partition_root, file, arena, values, &count, err));
    LT_TRY_NEW_ARRAY(*out, arena, stream->partition_count, err);
    for (uint32_t c = 0; c < stream->partition_count; c++) {
        const char *text = NULL;
        for (uint32_t i = 0; i < count; i++)
            if (lt_ascii_compare(values[i].name, columns[c].name) == 0) text = values[i].text;
        leat_status status = constant_make(&columns[c], text, evaluation, arena, &(*out)[c], err);
        if (status != LEAT_OK)
            return lt_error_context(err, "column `%s` of file `%.200s`", columns[c].name, file), status;
    }
    return LEAT_OK;
}

leat_status lt_partitions_of_file(lt_source *source, const lt_vector **out, leat_error *err) {
    const char *file  = source->evaluation->file_name != NULL ? source->evaluation->file_name : "";
    lt_arena   *arena = &source->partition_arena;
    *out              = source->partition_values;
    if (source->partition_file != NULL && strcmp(source->partition_file, file) == 0) return LEAT_OK;
    source->partition_file = NULL;
    lt_arena_reset(arena);
    LT_TRY(lt_partitions_make(source->stream, source->relation, file, source->evaluation, arena,
                              &source->partition_values, err));
    source->partition_file = lt_arena_text(arena, file, strlen(file));
    *out                   = source->partition_values;
    return source->partition_file == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------- files left out

struct lt_folder_skips {
    lt_source     *source;
    const lt_plan *scan;
    lt_evaluator   evaluator;
    lt_arena       arena; // of one file
    bool           is_open;
};

// Whether the condition is TRUE for the folders of a file; the other columns, which it does not look at, are NULL.
static leat_status folders_keep(struct lt_folder_skips *self, const char *path, bool *out, leat_error *err) {
    const lt_source *source = self->source;
    const lt_plan   *scan   = self->scan;
    lt_vector       *of_folders;
    lt_chunk         row = {.column_count = scan->column_count, .count = 1};
    uint16_t         selected[1];
    uint32_t         count = 0;
    LT_TRY(
        lt_partitions_make(source->stream, source->relation, path, source->evaluation, &self->arena, &of_folders, err));
    LT_TRY_NEW_ARRAY(row.columns, &self->arena, scan->column_count + 1u, err);
    for (uint32_t c = 0; c < scan->column_count; c++) {
        const uint32_t column = scan->as.scan.relation_columns[c], decoded = source->stream->column_count;
        if (column >= decoded)
            row.columns[c] = of_folders[column - decoded];
        else
            LT_TRY(lt_vector_init_constant_null(&row.columns[c], scan->columns[c].type, &self->arena, err));
    }
    LT_TRY(lt_evaluator_select(&self->evaluator, scan->as.scan.folders, &row, &self->arena, selected, &count, err));
    *out = count > 0;
    return LEAT_OK;
}

// A file whose folders cannot be judged is read: its rows tell what is wrong.
static bool file_is_skipped(void *user, const char *path) {
    struct lt_folder_skips *self = user;
    bool                    keeps;
    lt_arena_reset(&self->arena);
    return folders_keep(self, path, &keeps, NULL) == LEAT_OK && !keeps;
}

leat_status lt_partitions_skip_open(lt_source *source, const lt_plan *scan, leat_error *err) {
    struct lt_folder_skips *self = source->folder_skips;
    if (scan->as.scan.folders == NULL || source->stream->partition_count == 0) return LEAT_OK;
    if (self == NULL) LT_TRY_NEW(self, &source->arena, err);
    *self = (struct lt_folder_skips){.source = source, .scan = scan, .is_open = true};
    lt_arena_init(&self->arena, source->target.account);
    source->folder_skips     = self;
    source->setup.skips_file = file_is_skipped;
    source->setup.skips_user = self;
    return lt_evaluator_open(&self->evaluator, &scan->as.scan.folders, 1, source->evaluation, source->target.account,
                             err);
}

void lt_partitions_skip_close(lt_source *source) {
    struct lt_folder_skips *self = source->folder_skips;
    if (self == NULL || !self->is_open) return;
    lt_evaluator_close(&self->evaluator);
    lt_arena_deinit(&self->arena);
    self->is_open            = false;
    source->setup.skips_file = NULL;
}
