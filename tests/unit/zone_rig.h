// zone_rig: zones of the system's files, and a context in UTC, for tests of times.
#ifndef LT_TESTS_UNIT_ZONE_RIG_H
#define LT_TESTS_UNIT_ZONE_RIG_H

#include "base/datetime_text.h"

#include <stdio.h>

typedef struct zone_rig {
    lt_account          account;
    lt_time_zones      *zones;
    lt_datetime_context context;
    leat_error          err;
    char                text[256];
} zone_rig;

static leat_status zone_rig_read(void *user, const char *name, lt_buffer *out, bool *out_exists, leat_error *err) {
    char path[256], bytes[4096];
    (void)user;
    snprintf(path, sizeof path, "/usr/share/zoneinfo/%s", name);
    FILE *file  = fopen(path, "rb");
    *out_exists = file != NULL;
    if (file == NULL) return LEAT_OK;
    leat_status status = LEAT_OK;
    for (size_t count; status == LEAT_OK && (count = fread(bytes, 1, sizeof bytes, file)) > 0;)
        status = lt_buffer_append(out, bytes, count, err);
    fclose(file);
    return status;
}

static void zone_rig_init(zone_rig *rig, const char *zone, int64_t now_us) {
    *rig = (zone_rig){.text = ""};
    lt_account_init(&rig->account, NULL, NULL, 0);
    leat_status         status     = lt_time_zones_create(&rig->account, zone_rig_read, NULL, &rig->zones, &rig->err);
    const lt_evaluation evaluation = {.time_zone = zone, .now_us = now_us, .zones = rig->zones};
    if (status == LEAT_OK) status = lt_datetime_context_init(&rig->context, &evaluation, &rig->err);
    assert_int_equal(status, LEAT_OK);
}

static void zone_rig_deinit(zone_rig *rig) {
    lt_time_zones_destroy(&rig->zones);
    assert_int_equal(rig->account.bytes, 0);
}

#endif
