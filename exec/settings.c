// settings: what SET takes. Words that leat has no second choice for are rows, too: a script that asks for another one is
// told so instead of getting other answers than in Spark.
#include "exec/session.h"

#include "base/ascii.h"
#include "exec/workers.h"
#include "planner/nearest.h"

const lt_setting lt_settings[] = {
    {.name    = "timeZone",
     .spark   = "spark.sql.session.timeZone",
     .initial = "UTC",
     .summary = "zone of text without zone, of printing and of date parts"},
    {.name    = "lateRowTest",
     .words   = "at below",
     .initial = "at",
     .summary = "whether a row exactly at the watermark is late"},
    {.name    = "multipleWatermarkPolicy",
     .spark   = "spark.sql.streaming.multipleWatermarkPolicy",
     .words   = "min max",
     .initial = "min",
     .summary = "watermark of a query with several event times"},
    {.name    = "threads",
     .words   = "INT",
     .initial = "0",
     .summary =
         "threads that share the work of a batch or SELECT over files, up to 256; 0 and 1: the one that runs it"},
    {.name = "memoryLimit", .words = "INT", .initial = "0", .summary = "bytes the session may use; 0: no limit"},
    {.name = "checkpointSync", .words = "full group off", .initial = "full", .summary = "when a commit is on disk"},
    {.name    = "ansi",
     .spark   = "spark.sql.ansi.enabled",
     .words   = "true",
     .initial = "true",
     .summary = "errors instead of silent NULLs; there is no other mode"},
    {.name    = "caseSensitive",
     .spark   = "spark.sql.caseSensitive",
     .words   = "false",
     .initial = "false",
     .summary = "names are compared without case; there is no other mode"},
    {.name    = "timestampType",
     .spark   = "spark.sql.timestampType",
     .words   = "TIMESTAMP_LTZ",
     .initial = "TIMESTAMP_LTZ",
     .summary = "what TIMESTAMP means; there is no other choice"},
    {.name    = "storeAssignmentPolicy",
     .spark   = "spark.sql.storeAssignmentPolicy",
     .words   = "ANSI",
     .initial = "ANSI",
     .summary = "casts of INSERT; there is no other policy"},
    {.name    = "mapKeyDedupPolicy",
     .spark   = "spark.sql.mapKeyDedupPolicy",
     .words   = "EXCEPTION",
     .initial = "EXCEPTION",
     .summary = "a key twice in a map is an error; there is no other policy"},
    {.name    = "timeParserPolicy",
     .spark   = "spark.sql.legacy.timeParserPolicy",
     .words   = "CORRECTED EXCEPTION",
     .initial = "CORRECTED",
     .summary = "patterns of dates and times; both read as Spark 3 and later"},
    {.name    = "escapedStringLiterals",
     .spark   = "spark.sql.parser.escapedStringLiterals",
     .words   = "false",
     .initial = "false",
     .summary = "backslashes in texts are escapes; there is no other form"},
    {.name    = "doubleQuotedIdentifiers",
     .spark   = "spark.sql.ansi.doubleQuotedIdentifiers",
     .words   = "false",
     .initial = "false",
     .summary = "double quotes hold texts; there is no other form"},
    {.name    = "quotedRegexColumnNames",
     .spark   = "spark.sql.parser.quotedRegexColumnNames",
     .words   = "false",
     .initial = "false",
     .summary = "a quoted name is one column; there is no other form"},
    {.name    = "groupByOrdinal",
     .spark   = "spark.sql.groupByOrdinal",
     .words   = "true",
     .initial = "true",
     .summary = "a number in GROUP BY is a column of the SELECT; there is no other meaning"},
    {.name    = "orderByOrdinal",
     .spark   = "spark.sql.orderByOrdinal",
     .words   = "true",
     .initial = "true",
     .summary = "a number in ORDER BY is a column of the SELECT; there is no other meaning"},
    {.name    = "shufflePartitions",
     .spark   = "spark.sql.shuffle.partitions",
     .words   = "INT",
     .initial = "1",
     .summary = "accepted for Spark's sake; has no effect"},
    {.name    = "timeType",
     .spark   = "spark.sql.timeType.enabled",
     .words   = "true false",
     .initial = "false",
     .summary = "whether the type TIME may be named"},
    {.name    = "noDataBatches",
     .spark   = "spark.sql.streaming.noDataMicroBatches.enabled",
     .words   = "true false",
     .initial = "true",
     .summary = "batches without input that release output"},
    {.name    = "recompute",
     .words   = "needed all",
     .initial = "needed",
     .summary = "all: every stateful operator recomputes (the oracle of tests)"},
    {.name = "rulesOff", .initial = "", .summary = "rewrites of the planner to leave out, by name (for tests)"},
    {0},
};

static const lt_setting *setting_find(const char *name) {
    for (const lt_setting *row = lt_settings; row->name != NULL; row++)
        if (lt_ascii_compare(row->name, name) == 0 || (row->spark != NULL && lt_ascii_compare(row->spark, name) == 0))
            return row;
    return NULL;
}

const char *lt_setting_text(const leat_session *session, const char *name) {
    const lt_setting *row = setting_find(name);
    if (row == NULL) return NULL;
    if (session->setting_values != NULL && session->setting_values[row - lt_settings] != NULL)
        return session->setting_values[row - lt_settings];
    return row->initial;
}

bool lt_session_recomputes_all(const leat_session *session) {
    return lt_ascii_compare(lt_setting_text(session, "recompute"), "all") == 0;
}

static bool word_is_allowed(const char *words, const char *value) {
    if (words == NULL) return true;
    if (strcmp(words, "INT") == 0) {
        for (const char *c = value; *c != '\0'; c++)
            if (*c < '0' || *c > '9') return false;
        return value[0] != '\0';
    }
    size_t bytes = strlen(value);
    for (const char *word = words; *word != '\0';) {
        size_t length = strcspn(word, " ");
        if (length == bytes && lt_ascii_compare_bytes(word, value, bytes) == 0) return true;
        word += length + (word[length] == ' ');
    }
    return false;
}

static leat_status threads_set(leat_session *session, const char *value, const lt_place *place, leat_error *err) {
    uint32_t count = 0;
    for (const char *c = value; *c != '\0' && count <= LT_THREADS_MAX; c++) count = count * 10 + (uint32_t)(*c - '0');
    if (count > LT_THREADS_MAX)
        return lt_raise(err, LT_INVALID_SETTING, place, "setting `threads` takes at most %d, not `%s`", LT_THREADS_MAX,
                        value);
    lt_workers_destroy(&session->workers); // no batch runs now: its driver has the lock that is held here
    session->thread_count = count;
    return LEAT_OK;
}

leat_status lt_setting_set(leat_session *session, const char *name, const char *value, const lt_place *place,
                           leat_error *err) {
    const lt_setting *row = setting_find(name);
    if (row == NULL) {
        // Spark's other keys are accepted and remembered by nobody: scripts of Spark users set many of them.
        if (lt_ascii_compare_bytes(name, "spark.", 6) == 0) return LEAT_OK;
        lt_nearest nearest = {.wanted = name};
        for (const lt_setting *known = lt_settings; known->name != NULL; known++)
            lt_nearest_offer(&nearest, known->name);
        return lt_raise(err, LT_INVALID_SETTING, place, "no setting `%s`; did you mean `%s`? SHOW SETTINGS lists them",
                        name, nearest.best);
    }
    if (!word_is_allowed(row->words, value))
        return lt_raise(err, LT_INVALID_SETTING, place, "setting `%s` takes %s, not `%s`", row->name, row->words,
                        value);
    if (lt_ascii_compare(row->name, "timeZone") == 0) {
        lt_time_zone zone;
        LT_TRY(lt_time_zone_find(session->zones, value, strlen(value), &zone, err));
        memcpy(session->time_zone, zone.id, sizeof session->time_zone);
    }
    if (lt_ascii_compare(row->name, "memoryLimit") == 0) {
        uint64_t bytes = 0;
        for (const char *c = value; *c != '\0' && bytes < UINT64_MAX / 20; c++)
            bytes = bytes * 10 + (uint64_t)(*c - '0');
        session->account.bytes_max = bytes;
    }
    if (lt_ascii_compare(row->name, "threads") == 0) LT_TRY(threads_set(session, value, place, err));
    size_t count = sizeof lt_settings / sizeof lt_settings[0];
    if (session->setting_values == NULL)
        LT_TRY_NEW_ARRAY(session->setting_values, &session->settings_arena, count, err);
    char *copy = lt_arena_text(&session->settings_arena, value, strlen(value));
    if (copy == NULL) return lt_raise_no_memory(err);
    session->setting_values[row - lt_settings] = copy;
    return LEAT_OK;
}
