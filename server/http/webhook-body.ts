import { type Request, type Response, raw } from 'express';
import { AppError } from './app-error.ts';

/** How many bytes the unfinished bodies of one route may take together. */
const BYTES_AT_ONCE = 16 * 1024 * 1024;
const RETRY_AFTER_S = 60;

/**
 * Reads the body of a webhook, whose sender has not proved anything yet. A body that is not JSON is empty.
 * @throws {AppError} 503 while too many bodies are arriving: providers send theirs again
 */
export function webhookBody(mostBytes: number): (req: Request, res: Response) => Promise<Buffer> {
  const read = raw({ type: 'json', limit: mostBytes, inflate: false });
  let arriving = 0;
  return (req, res) =>
    new Promise((resolve, reject) => {
      if (arriving >= BYTES_AT_ONCE / mostBytes) throw busy();
      arriving += 1;
      read(req, res, (error?: unknown) => {
        arriving -= 1;
        if (error === undefined) return resolve(Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0));
        // Otherwise Node would go on reading until the body is complete.
        res.set('Connection', 'close');
        reject(error);
      });
    });
}

/** Too many events are being received, or recorded: the provider sends these again. */
export function busy(): AppError {
  const message = 'Other events are still being received: please send these again';
  return new AppError({ code: 'busy', status: 503, message, retryAfterS: RETRY_AFTER_S });
}
