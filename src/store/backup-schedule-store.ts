// Defines the store of the schedule of backups, so that a restart does not make a failing backup less overdue.

export interface BackupScheduleStore {
  /**
   * Stores the schedule, which is empty while none is configured, and returns since when it has been this one (ms): `now`
   * if it was another one before. `known` is when it had begun already, if the store has no schedule yet.
   */
  since(schedule: string, now: number, known: number): Promise<number>;
}
