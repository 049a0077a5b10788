/** What an author has to put right in a file of `media/`; its message says how. */
export class PictureProblem extends Error {
  override name = 'PictureProblem';
}

/**
 * Reads pixels, or facts about them, from an author's file.
 * @throws {PictureProblem} when the file is broken, or of another kind than its name says
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
