#include "tests/fault/fs_power.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// A handle is the address of the node. A cut keeps nodes, so that durable entries keep their meaning.

typedef struct place {
    lt_power_node *folder;
    char           name[LT_POWER_NAME_BYTES];
} place;

static lt_power_entry *entry_find(lt_power_entry *entries, const char *name) {
    for (size_t i = 0; i < LT_POWER_ENTRIES_MAX; i++)
        if (entries[i].node_index != 0 && strcmp(entries[i].name, name) == 0) return &entries[i];
    return NULL;
}

static int entry_put(lt_power_entry *entries, const char *name, size_t node_index) {
    lt_power_entry *entry = entry_find(entries, name);
    for (size_t i = 0; entry == NULL && i < LT_POWER_ENTRIES_MAX; i++)
        if (entries[i].node_index == 0) entry = &entries[i];
    if (entry == NULL) return ENOSPC;
    strcpy(entry->name, name);
    entry->node_index = node_index;
    return 0;
}

// The folder that holds the last part of the path, and that part; "." for the root itself.
static int place_find(lt_fs_power *self, const char *path, place *out_place) {
    out_place->folder = &self->nodes[0];
    strcpy(out_place->name, ".");
    while (*path != '\0') {
        size_t bytes = strcspn(path, "/");
        if (bytes >= LT_POWER_NAME_BYTES) return ENAMETOOLONG;
        if (bytes > 0 && !(bytes == 1 && path[0] == '.')) {
            if (strcmp(out_place->name, ".") != 0) {
                const lt_power_entry *entry = entry_find(out_place->folder->entries, out_place->name);
                if (entry == NULL) return ENOENT;
                out_place->folder = &self->nodes[entry->node_index];
                if (!out_place->folder->is_folder) return ENOTDIR;
            }
            memcpy(out_place->name, path, bytes);
            out_place->name[bytes] = '\0';
        }
        path += bytes;
        if (*path == '/') path++;
    }
    return 0;
}

static int node_find(lt_fs_power *self, const char *path, lt_power_node **out_node) {
    place found;
    int   code = place_find(self, path, &found);
    if (code != 0) return code;
    const lt_power_entry *entry = entry_find(found.folder->entries, found.name);
    if (strcmp(found.name, ".") == 0)
        *out_node = found.folder;
    else if (entry == NULL)
        return ENOENT;
    else
        *out_node = &self->nodes[entry->node_index];
    return 0;
}

static int node_create(lt_fs_power *self, const char *path, bool is_folder, lt_power_node **out_node) {
    place found;
    int   code = place_find(self, path, &found);
    if (code != 0) return code;
    if (self->node_count == LT_POWER_NODES_MAX) return ENOSPC;
    code = entry_put(found.folder->entries, found.name, self->node_count);
    if (code != 0) return code;
    *out_node              = &self->nodes[self->node_count++];
    (*out_node)->is_folder = is_folder;
    return 0;
}

static int power_open(void *user, const char *path, uint32_t flags, void **out_file) {
    lt_fs_power   *self = user;
    lt_power_node *node = NULL;
    int            code = node_find(self, path, &node);
    if (code == 0 && (flags & LEAT_OPEN_EXCLUSIVE) != 0) return EEXIST;
    if (code == ENOENT && (flags & LEAT_OPEN_CREATE) != 0) code = node_create(self, path, false, &node);
    if (code == 0) *out_file = node;
    return code;
}

static int power_close(void *user, void *file) {
    (void)user;
    ((lt_power_node *)file)->is_locked = false;
    return 0;
}

static int power_read(void *user, void *file, uint64_t offset, void *buffer, size_t count, size_t *out_count) {
    const lt_power_node *node = file;
    (void)user;
    if (offset == LEAT_OFFSET_NEXT) return ESPIPE;
    size_t left = offset < node->bytes.count ? node->bytes.count - (size_t)offset : 0;
    *out_count  = count < left ? count : left;
    if (*out_count > 0) memcpy(buffer, node->bytes.data + offset, *out_count);
    return 0;
}

static int bytes_resize(lt_power_bytes *bytes, size_t count) {
    char *data = realloc(bytes->data, count + 1);
    if (data == NULL) return ENOSPC;
    if (count > bytes->count) memset(data + bytes->count, 0, count - bytes->count);
    *bytes = (lt_power_bytes){.data = data, .count = count};
    return 0;
}

static int power_write(void *user, void *file, uint64_t offset, const void *bytes, size_t count, size_t *out_count) {
    lt_power_node *node = file;
    (void)user;
    if (offset == LEAT_OFFSET_NEXT) offset = node->bytes.count;
    if (offset + count > node->bytes.count && bytes_resize(&node->bytes, (size_t)offset + count) != 0) return ENOSPC;
    if (count > 0) memcpy(node->bytes.data + offset, bytes, count);
    *out_count = count;
    return 0;
}

static int power_truncate(void *user, void *file, uint64_t bytes) {
    (void)user;
    return bytes_resize(&((lt_power_node *)file)->bytes, (size_t)bytes);
}

static int power_sync(void *user, void *file) {
    lt_power_node *node = file;
    (void)user;
    memcpy(node->durable_entries, node->entries, sizeof node->entries);
    if (bytes_resize(&node->durable_bytes, node->bytes.count) != 0) return ENOSPC;
    if (node->bytes.count > 0) memcpy(node->durable_bytes.data, node->bytes.data, node->bytes.count);
    return 0;
}

static int power_lock(void *user, void *file) {
    lt_power_node *node = file;
    (void)user;
    if (node->is_locked) return EAGAIN;
    node->is_locked = true;
    return 0;
}

static int power_info(void *user, const char *path, void *file, leat_file_info *out_info) {
    lt_fs_power   *self = user;
    lt_power_node *node = file;
    int            code = node == NULL ? node_find(self, path, &node) : 0;
    if (code != 0) return code;
    *out_info = (leat_file_info){.bytes       = node->bytes.count,
                                 .modified_us = node->modified_us,
                                 .device      = 1,
                                 .inode       = (uint64_t)(node - self->nodes) + 1,
                                 .kind        = node->is_folder ? LEAT_FILE_FOLDER : LEAT_FILE_REGULAR};
    return 0;
}

static int power_list(void *user, const char *path, int (*give)(void *give_user, const char *name, uint32_t kind),
                      void *give_user) {
    lt_fs_power   *self = user;
    lt_power_node *node;
    int            code = node_find(self, path, &node);
    for (size_t i = 0; code == 0 && i < LT_POWER_ENTRIES_MAX; i++)
        if (node->entries[i].node_index != 0) code = give(give_user, node->entries[i].name, LEAT_FILE_UNKNOWN);
    return code;
}

static int power_remove(void *user, const char *path) {
    place found;
    int   code = place_find(user, path, &found);
    if (code != 0) return code;
    lt_power_entry *entry = entry_find(found.folder->entries, found.name);
    if (entry == NULL) return ENOENT;
    entry->node_index = 0;
    return 0;
}

static int power_rename(void *user, const char *from, const char *to) {
    lt_fs_power   *self = user;
    lt_power_node *node;
    place          target;
    int            code = node_find(self, from, &node);
    if (code == 0) code = place_find(self, to, &target);
    if (code == 0) code = entry_put(target.folder->entries, target.name, (size_t)(node - self->nodes));
    return code == 0 ? power_remove(user, from) : code;
}

static int power_make_folder(void *user, const char *path) {
    lt_power_node *node;
    int            code = node_find(user, path, &node);
    if (code == 0) return EEXIST;
    return code == ENOENT ? node_create(user, path, true, &node) : code;
}

static uint64_t random_below(lt_fs_power *self, uint64_t limit) {
    self->random = self->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return limit == 0 ? 0 : (self->random >> 33) % limit;
}

static void bytes_cut(lt_fs_power *self, lt_power_node *node) {
    size_t same = 0; // changes lie behind it
    while (same < node->bytes.count && same < node->durable_bytes.count &&
           node->bytes.data[same] == node->durable_bytes.data[same])
        same++;
    if (same == node->bytes.count && same == node->durable_bytes.count) return;
    size_t tail = node->bytes.count - same;
    switch (random_below(self, 5)) {
    case 0:
        break; // kept
    case 1:    // dropped
        (void)bytes_resize(&node->bytes, node->durable_bytes.count);
        if (node->bytes.count > 0) memcpy(node->bytes.data, node->durable_bytes.data, node->bytes.count);
        break;
    case 2:
        (void)bytes_resize(&node->bytes, same + (size_t)random_below(self, tail + 1));
        break; // torn
    case 3:
        memset(node->bytes.data + same, 0, tail);
        break; // length without bytes
    default:   // torn, then garbage
        for (size_t i = same + (size_t)random_below(self, tail + 1); i < node->bytes.count; i++)
            node->bytes.data[i] = (char)random_below(self, 256);
    }
}

static void entries_cut(lt_fs_power *self, lt_power_node *node) {
    lt_power_entry changed[LT_POWER_ENTRIES_MAX];
    memcpy(changed, node->entries, sizeof changed);
    for (size_t i = 0; i < LT_POWER_ENTRIES_MAX; i++) { // new or moved entries
        if (changed[i].node_index == 0) continue;
        const lt_power_entry *durable = entry_find(node->durable_entries, changed[i].name);
        if (durable != NULL && durable->node_index == changed[i].node_index) continue;
        if (random_below(self, 2) == 0) continue;
        lt_power_entry *entry = entry_find(node->entries, changed[i].name);
        entry->node_index     = durable == NULL ? 0 : durable->node_index;
    }
    for (size_t i = 0; i < LT_POWER_ENTRIES_MAX; i++) { // removed entries
        const lt_power_entry *durable = &node->durable_entries[i];
        if (durable->node_index == 0 || entry_find(changed, durable->name) != NULL) continue;
        if (random_below(self, 2) == 0) (void)entry_put(node->entries, durable->name, durable->node_index);
    }
}

void lt_fs_power_cut(lt_fs_power *power, uint64_t seed) {
    power->random = seed;
    for (size_t i = 0; i < power->node_count; i++) {
        lt_power_node *node = &power->nodes[i];
        node->is_locked     = false;
        if (node->is_folder)
            entries_cut(power, node);
        else
            bytes_cut(power, node);
        (void)power_sync(power, node); // what is found after a restart stays
    }
}

void lt_fs_power_init(lt_fs_power *power) {
    *power = (lt_fs_power){.nodes = calloc(LT_POWER_NODES_MAX, sizeof *power->nodes), .node_count = 1};
    if (power->nodes != NULL) power->nodes[0].is_folder = true;
    power->system = (leat_file_system){
        .struct_size = sizeof(leat_file_system),
        .open        = power_open,
        .close       = power_close,
        .read        = power_read,
        .write       = power_write,
        .truncate    = power_truncate,
        .sync        = power_sync,
        .lock        = power_lock,
        .info        = power_info,
        .list        = power_list,
        .rename      = power_rename,
        .remove      = power_remove,
        .make_folder = power_make_folder,
        .user        = power,
    };
}

void lt_fs_power_deinit(lt_fs_power *power) {
    for (size_t i = 0; i < power->node_count; i++) {
        free(power->nodes[i].bytes.data);
        free(power->nodes[i].durable_bytes.data);
    }
    free(power->nodes);
    power->nodes = NULL;
}
