// What Swift cannot import of SQLite: functions of a variable number of arguments, and
// SQLITE_TRANSIENT, which has SQLite copy what is bound.
#include <sqlite3.h>

static inline int csqlite_bind_text(sqlite3_stmt *statement, int place, const void *bytes, int count) {
  return sqlite3_bind_text(statement, place, (const char *)bytes, count, SQLITE_TRANSIENT);
}

/// Has SQLite give a lock up after that many milliseconds and keep no mutex of its own.
static inline int csqlite_open(const char *path, sqlite3 **database) {
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
              SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE;
  return sqlite3_open_v2(path, database, flags, 0);
}
