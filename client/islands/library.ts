/*
 * The largest part of the application, in a file of its own: the browser evaluates it in a separate task, so
 * that presses are handled in between. Budget: TBT below 60 ms on the throttled phone.
 */
export { hydrateRoot } from 'react-dom/client';
