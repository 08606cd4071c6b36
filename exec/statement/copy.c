#include "exec/session.h"

#include "storage/publish.h"

#include <strings.h>

// copy: COPY (query or table) TO 'file': one complete file in one atomic step, so that a reading stream
// never sees half.

static const lt_option copy_options[] = {
    {.name = "format", .summary = "json, csv or text; without it the file's extension tells"},
    {0},
};

enum { WRITE_AT_BYTES = 1 << 20 }; // the text so far goes to the hidden file from this size on

typedef struct copying {
    const lt_format        *format;
    const lt_option_values *options;
    const char            **names;
    lt_evaluation          *evaluation;
    lt_buffer               text;
    uint64_t                rows;
    lt_publish              file;
} copying;

static leat_status copy_write(copying *self, leat_error *err) {
    LT_TRY(lt_publish_append(&self->file, self->text.data, self->text.bytes, err));
    self->text.bytes = 0;
    return LEAT_OK;
}

static leat_status copy_give(void *user, const lt_chunk *chunk, lt_batch *batch, leat_error *err) {
    (void)batch;
    copying *self = ((leat_statement *)user)->collector;
    self->rows += chunk->count;
    LT_TRY(self->format->encode(self->options, self->names, chunk, self->evaluation, &self->text, err));
    return self->text.bytes < WRITE_AT_BYTES ? LEAT_OK : copy_write(self, err);
}

// The file under its hidden name, in folders that are made if need be.
static leat_status copy_open(const leat_session *session, lt_publish *file, char *path, leat_error *err) {
    char *slash = strrchr(path, '/');
    if (slash != NULL && slash != path) {
        *slash             = '\0';
        leat_status status = lt_fs_make_folders(&session->fs, path, err);
        *slash             = '/';
        LT_TRY(status);
    }
    return lt_publish_open_shared(file, &session->fs, NULL, path, err);
}

static leat_status copy_rows(leat_statement *statement, copying *self, const lt_query_plan *plan, const lt_type **types,
                             leat_error *err) {
    leat_session  *session   = statement->session;
    leat_statement collector = {.session = session, .collector = self};
    if (self->format->encode_header != NULL)
        LT_TRY(
            self->format->encode_header(self->options, self->names, types, plan->root->column_count, &self->text, err));
    LT_TRY(lt_query_run_now(session, plan, &statement->evaluation, copy_give, &collector, err));
    LT_TRY(copy_write(self, err));
    return lt_publish_commit(&self->file, err);
}

// FORMAT, else the format that has the file's extension; a name without one gets JSON.
static leat_status format_choose(const lt_ast_statement *tree, const lt_option_values *options, const lt_format **out,
                                 leat_error *err) {
    const char *name = lt_option_text(options, copy_options, "format");
    size_t      dot  = tree->path.bytes;
    while (dot > 0 && tree->path.text[dot - 1] != '.' && tree->path.text[dot - 1] != '/') dot--;
    const bool has_extension = dot > 1 && tree->path.text[dot - 1] == '.' && tree->path.text[dot - 2] != '/';
    if (name == NULL && has_extension) {
        *out = lt_format_of_extension(tree->path.text + dot - 1, tree->path.bytes - dot + 1);
        if (*out == NULL)
            return lt_raise(err, LT_DATA_SOURCE_NOT_FOUND, &tree->place,
                            "no format has files `%.*s`; (FORMAT json), (FORMAT csv) or (FORMAT text) tells",
                            (int)(tree->path.bytes - dot + 1), tree->path.text + dot - 1);
    } else {
        *out = lt_format_find(name == NULL ? "json" : name);
    }
    if (*out != NULL && (*out)->encode != NULL) return LEAT_OK;
    return lt_raise(err, LT_DATA_SOURCE_NOT_FOUND, &tree->place,
                    "no format `%s` to write; there are json, csv and text", name == NULL ? "" : name);
}

leat_status lt_run_copy(leat_statement *statement, leat_error *err) {
    leat_session           *session = statement->session;
    const lt_ast_statement *tree    = statement->tree;
    lt_query_plan           plan;
    lt_finish_use           once = {0};
    lt_option_values        options;
    lt_ast_options_use      use      = {.options = &tree->options};
    lt_ast_query            of_table = {.kind = LT_AST_QUERY_TABLE, .name = tree->name, .place = tree->place};
    LT_TRY(lt_options_bind(session, &use, &statement->result_arena, &options, err));
    const lt_format *format;
    LT_TRY(format_choose(tree, &options, &format, err));
    const lt_option *const lists[] = {copy_options, format->options, NULL};
    LT_TRY(lt_options_check(&options, lists, err));
    LT_TRY(lt_query_plan_bind(session, statement, tree->query != NULL ? tree->query : &of_table, false,
                              &statement->result_arena, &plan, err));
    LT_TRY(lt_plan_finish(&statement->result_arena, &once, &plan, NULL, err));
    const lt_type **types;
    copying        *self;
    LT_TRY_NEW_ARRAY(self, &statement->result_arena, 1, err);
    LT_TRY_NEW_ARRAY(types, &statement->result_arena, plan.root->column_count + 1u, err);
    self->format     = format;
    self->options    = &options;
    self->evaluation = &statement->evaluation;
    LT_TRY_NEW_ARRAY(self->names, &statement->result_arena, plan.root->column_count + 1u, err);
    for (uint32_t c = 0; c < plan.root->column_count; c++) {
        self->names[c] = plan.root->columns[c].name;
        types[c]       = plan.root->columns[c].type;
    }
    char *path = lt_arena_text(&statement->result_arena, tree->path.text, tree->path.bytes);
    if (path == NULL) return lt_raise_no_memory(err);
    LT_TRY(copy_open(session, &self->file, path, err));
    lt_buffer_init(&self->text, &session->account, 0);
    leat_status status = copy_rows(statement, self, &plan, types, err);
    lt_buffer_deinit(&self->text);
    lt_publish_discard(&self->file);
    LT_TRY(status);
    return lt_statement_message_set(statement, err, "%llu row%s to %s", (unsigned long long)self->rows,
                                    self->rows == 1 ? "" : "s", path);
}
