/** Something that an author has to correct in a file of `media/`; the message says how. */
export class PictureProblem extends Error {
  override name = 'PictureProblem';
}

/**
 * Reads pixels, or facts about them, from an author's file.
 * @throws {PictureProblem} when the file is broken, or its content does not match its name's extension
 */
export async function readPixels<Result>(file: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    const why = error instanceof Error ? error.message.trim().split('\n')[0] : String(error);
    throw new PictureProblem(
      `${file} cannot be read as a picture (${why}): export it once more, as JPEG, PNG or SVG`,
    );
  }
}
