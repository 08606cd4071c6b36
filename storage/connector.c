// connector: look-up in the registry.
#include "storage/connector.h"

#include <strings.h>

const lt_connector *lt_connector_find(const char *name) {
    for (const lt_connector *const *connector = lt_connector_registry; *connector != NULL; connector++)
        if (strcasecmp((*connector)->name, name) == 0) return *connector;
    return NULL;
}
