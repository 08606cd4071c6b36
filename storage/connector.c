// connector: look-up in the registry.
#include "storage/connector.h"

#include "base/ascii.h"

const lt_connector *lt_connector_find(const char *name) {
    for (const lt_connector *const *connector = lt_connector_registry; *connector != NULL; connector++)
        if (lt_ascii_compare((*connector)->name, name) == 0) return *connector;
    return NULL;
}
