#include "parser/build_node.h"

#include "base/ascii.h"

#include <string.h>

// Words of other systems that people type out of habit: what to write instead, or why there is nothing to write.
typedef struct foreign_word {
    const char *statement; // its first word; NULL: `word` begins the statement
    const char *word;
    const char *hint;
} foreign_word;

static const char no_scripting[]   = "there are no scripts and transactions; each statement stands for itself";
static const char no_constraints[] = "constraints, keys and identity columns are not checked, so they are not declared";
static const char no_partitions[]  = "folders are listed whenever a table is read; partitions are not managed";
static const char no_clusters[]    = "there are no buckets and clusters; rows stay as they come";
static const char no_storage[]     = "there is no Hive storage; USING names the format of the files";
static const char no_upsert[] = "use INSERT INTO t REPLACE WHERE condition query, or a stream with changes = 'upsert'";
static const char use_limit[] = "use LIMIT n OFFSET m";

static const foreign_word words[] = {
    {NULL, "ADD", "there are no JARs and files to add; CREATE FUNCTION makes functions, a host registers its own"},
    {NULL, "ATTACH", "there is no database file; CREATE TABLE .. USING a format reads files"},
    {NULL, "BEGIN", no_scripting},
    {NULL, "CALL", "there are no procedures; SHOW FUNCTIONS lists the functions, leat_relations the tables"},
    {NULL, "COMMIT", no_scripting},
    {NULL, "DETACH", "there is no database file"},
    {NULL, "END", no_scripting},
    {NULL, "EXPORT", "use COPY (query) TO 'file'"},
    {NULL, "GRANT", "there are no users here"},
    {NULL, "IMPORT", "use CREATE TABLE t AS SELECT * FROM csv.`file`"},
    {NULL, "INSTALL", "formats and connectors are built in; SELECT * FROM leat_connectors lists them"},
    {NULL, "LIST", "there are no JARs and files to list"},
    {NULL, "LOAD", "use CREATE TABLE t USING json OPTIONS (path 'in'), or INSERT INTO t SELECT .. FROM json.`file`"},
    {NULL, "MSCK", no_partitions},
    {NULL, "OPTIMIZE", "files are left as they are"},
    {NULL, "PRAGMA", "use SET, SHOW SETTINGS, SHOW TABLES or DESCRIBE t"},
    {NULL, "REPAIR", no_partitions},
    {NULL, "REPLACE", "use CREATE OR REPLACE, or INSERT INTO t REPLACE WHERE condition query"},
    {NULL, "REVOKE", "there are no users here"},
    {NULL, "ROLLBACK", no_scripting},
    {NULL, "SUMMARIZE", "use DESCRIBE t for the columns; SELECT count(*), min(c), max(c) .. for the values"},
    {NULL, "UPSERT", no_upsert},
    {NULL, "VACUUM", "there is nothing to vacuum"},
    {"ALTER", "CLUSTER", no_clusters},
    {"ALTER", "CONSTRAINT", no_constraints},
    {"ALTER", "LOCATION", "DROP the table and CREATE it with another path"},
    {"ALTER", "PARTITION", no_partitions},
    {"ALTER", "RECOVER", no_partitions},
    {"ALTER", "REPLACE", "use ADD, DROP, RENAME and ALTER COLUMN"},
    {"ALTER", "SERDE", no_storage},
    {"ALTER", "SERDEPROPERTIES", no_storage},
    {"ANALYZE", "PARTITION", "a table is analyzed as a whole"},
    {"ANALYZE", "TABLES", "one table at a time: ANALYZE TABLE t COMPUTE STATISTICS"},
    {"CREATE", "AUTOINCREMENT", no_constraints},
    {"CREATE", "AUTO_INCREMENT", no_constraints},
    {"CREATE", "CHECK", no_constraints},
    {"CREATE", "CLUSTER", no_clusters},
    {"CREATE", "CLUSTERED", no_clusters},
    {"CREATE", "CONSTRAINT", no_constraints},
    {"CREATE", "EXTERNAL", "a table with LOCATION or the option path reads files and owns none of them"},
    {"CREATE", "FOREIGN", no_constraints},
    {"CREATE", "IDENTITY", no_constraints},
    {"CREATE", "INDEX", "there are no indexes; joins and groups keep tables of their own"},
    {"CREATE", "PRIMARY", no_constraints},
    {"CREATE", "REFERENCES", no_constraints},
    {"CREATE", "ROW", no_storage},
    {"CREATE", "SORTED", no_clusters},
    {"CREATE", "STORED", no_storage},
    {"CREATE", "TRIGGER", "use CREATE MATERIALIZED VIEW or CREATE SINK: they follow what arrives"},
    {"CREATE", "UNIQUE", no_constraints},
    {"INSERT", "IGNORE", no_upsert},
    {"INSERT", "ON", no_upsert},
    {"INSERT", "OR", no_upsert},
    {"INSERT", "PARTITION", "give the partition columns as columns of the query"},
    {"REFRESH", "FUNCTION", "functions are not cached"},
    {"SELECT", "EXCLUDE", "use * EXCEPT (a, b)"},
    {"SHOW", "INDEX", "there are no indexes"},
    {"SHOW", "INDEXES", "there are no indexes"},
};

static bool is_word(const lt_token *token, const char *word) {
    return token->kind == LT_SCAN_WORD && token->bytes == strlen(word) &&
           lt_ascii_equal(token->text, word, token->bytes);
}

static bool is_limited(const lt_builder *b) {
    return b->at > 1 && b->tokens[b->at - 1].kind == LT_SCAN_NUMBER && is_word(&b->tokens[b->at - 2], "LIMIT");
}

const char *lt_build_foreign_hint(const lt_builder *b, const lt_token *token) {
    const lt_token *first = &b->tokens[1], *before = &b->tokens[b->at > 0 ? b->at - 1 : 0];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(token, words[i].word) &&
            (words[i].statement == NULL ? b->at == 1 : b->at > 1 && is_word(first, words[i].statement)))
            return words[i].hint;
    if (token->bytes == 1 && token->text[0] == ',' && is_limited(b)) return use_limit;
    if (token->kind == LT_SCAN_NUMBER && is_word(before, "TOP")) return use_limit;
    if (is_word(before, "FETCH") && (is_word(token, "FIRST") || is_word(token, "NEXT"))) return use_limit;
    if (token->kind == LT_SCAN_STRING && (is_word(before, "FROM") || is_word(before, "JOIN")))
        return "a file is named by its format and a path in back-quotes: json.`in/a.json`";
    if (token->kind == LT_SCAN_STRING && is_word(before, "DIRECTORY")) return "use COPY (query) TO 'file'";
    if (token->kind == LT_SCAN_STRING && is_word(first, "REFRESH")) return "files are read when they are queried";
    return NULL;
}
