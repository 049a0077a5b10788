import { createHash } from 'node:crypto';
import type { IRouter } from 'express';
import { CALENDAR_PATH } from '#shared/calendar.ts';
import type { CalendarFile } from './retreat-calendar.ts';

/** `GET /retreat.ics`: every session for the visitor's calendar. It changes with the schedule only. */
export function addCalendarRoute(app: IRouter, { fileName, content }: CalendarFile): void {
  const hash = createHash('sha256').update(content).digest('base64url');
  app.get(CALENDAR_PATH, (_req, res) => {
    res
      .attachment(fileName)
      .set({ 'Cache-Control': 'public, max-age=3600', ETag: `"${hash}"` })
      .type('text/calendar; charset=utf-8')
      .send(content);
  });
}
