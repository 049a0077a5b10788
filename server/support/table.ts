import { printable } from './printable.ts';

const GAP = '  ';

/** Rows under each other, each column as wide as its widest cell; whatever the cells hold, a row is one line. */
export function table(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(printable));
  const widths: number[] = [];
  for (const row of cells) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
    }
  }
  return cells
    .map((row) =>
      row
        .map((cell, column) => padded(cell, widths[column]))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

function padded(cell: string, width = 0): string {
  return cell + ' '.repeat(width - widthOf(cell));
}

function widthOf(cell: string): number {
  return [...cell].length;
}
