#include "planner/catalog.h"

#include "base/ascii.h"
#include "planner/nearest.h"

// Lists are short (tens of entries), so finding walks them.

static lt_catalog_entry *find(const lt_catalog *catalog, const char *name, bool is_temporary) {
    for (lt_catalog_entry *entry = catalog->entries; entry != NULL; entry = entry->next)
        if (entry->is_temporary == is_temporary && lt_ascii_compare(entry->name, name) == 0) return entry;
    return NULL;
}

const lt_catalog_schema *lt_catalog_schema_find(const lt_catalog *catalog, const char *name) {
    const lt_catalog_schema *schema = catalog->schemas;
    while (schema != NULL && lt_ascii_compare(schema->name, name) != 0) schema = schema->next;
    return schema;
}

const char *lt_catalog_key(const lt_catalog *catalog, const char *current, lt_arena *arena, const lt_ast_names *names) {
    const char *name   = names->items[names->count - 1].text;
    const char *schema = names->count > 1 ? names->items[names->count - 2].text : current;
    if (schema == NULL || lt_ascii_compare(schema, "default") == 0) return name;
    const char *key = lt_arena_format(arena, "%s.%s", schema, name);
    if (key == NULL || names->count > 1 || lt_catalog_find_permanent(catalog, key) != NULL) return key;
    const lt_catalog_entry *bare = lt_catalog_find(catalog, name);
    return bare != NULL && (bare->is_temporary || bare->kind == LT_RELATION_SYSTEM) ? name : key;
}

lt_catalog_entry *lt_catalog_find_permanent(const lt_catalog *catalog, const char *name) {
    return find(catalog, name, false);
}
lt_catalog_entry *lt_catalog_find_temporary(const lt_catalog *catalog, const char *name) {
    return find(catalog, name, true);
}

lt_catalog_entry *lt_catalog_find(const lt_catalog *catalog, const char *name) {
    lt_catalog_entry *temporary = find(catalog, name, true);
    return temporary != NULL ? temporary : find(catalog, name, false);
}

// Of `schema.` in front of a name; 0: default.
static uint32_t schema_bytes(const lt_catalog *catalog, const char *name) {
    for (const lt_catalog_schema *schema = catalog->schemas; schema != NULL; schema = schema->next) {
        const size_t bytes = strlen(schema->name);
        if (lt_ascii_compare_bytes(schema->name, name, bytes) == 0 && name[bytes] == '.') return (uint32_t)bytes + 1;
    }
    return 0;
}

lt_catalog_entry *lt_catalog_add(lt_catalog *catalog, lt_relation_kind kind, const char *name) {
    lt_catalog_entry *entry = lt_account_reallocate(catalog->account, NULL, 0, sizeof *entry);
    if (entry == NULL) return NULL;
    *entry = (lt_catalog_entry){.kind = kind, .event_time_column = -1};
    lt_arena_init(&entry->arena, catalog->account);
    entry->name = lt_arena_text(&entry->arena, name, strlen(name));
    if (entry->name == NULL) {
        lt_arena_deinit(&entry->arena);
        lt_account_reallocate(catalog->account, entry, sizeof *entry, 0);
        return NULL;
    }
    entry->schema_bytes     = schema_bytes(catalog, name);
    entry->counts.rows      = -1;
    lt_catalog_entry **last = &catalog->entries;
    while (*last != NULL) last = &(*last)->next;
    *last = entry;
    catalog->version++;
    return entry;
}

void lt_catalog_rename(lt_catalog *catalog, lt_catalog_entry *entry, const char *name) {
    entry->name         = name;
    entry->schema_bytes = schema_bytes(catalog, name);
    catalog->version++;
}

void lt_catalog_remove(lt_catalog *catalog, lt_catalog_entry *entry) {
    lt_catalog_entry **link = &catalog->entries;
    while (*link != NULL && *link != entry) link = &(*link)->next;
    if (*link == NULL) return;
    *link = entry->next;
    catalog->version++;
    lt_arena_deinit(&entry->arena);
    lt_account_reallocate(catalog->account, entry, sizeof *entry, 0);
}

lt_catalog_variable *lt_catalog_variable_find(const lt_catalog *catalog, const char *name) {
    for (lt_catalog_variable *variable = catalog->variables; variable != NULL; variable = variable->next)
        if (lt_ascii_compare(variable->name, name) == 0) return variable;
    return NULL;
}

lt_catalog_function *lt_catalog_function_find(const lt_catalog *catalog, const char *name) {
    for (lt_catalog_function *function = catalog->functions; function != NULL; function = function->next)
        if (lt_ascii_compare(function->name, name) == 0) return function;
    return NULL;
}

const char *lt_catalog_nearest(const lt_catalog *catalog, const char *name) {
    lt_nearest nearest = {.wanted = name};
    for (const lt_catalog_entry *entry = catalog->entries; entry != NULL; entry = entry->next)
        lt_nearest_offer(&nearest, entry->name);
    return nearest.best_distance <= strlen(name) / 2 + 1 ? nearest.best : NULL;
}
