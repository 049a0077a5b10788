/** What other rooms may ask of this one. */
export { rowsOfEach, rowsWith, type Transaction, UnusableDatabaseError } from './engine.ts';
export * from './open-database.ts';
export * from './schema.ts';
