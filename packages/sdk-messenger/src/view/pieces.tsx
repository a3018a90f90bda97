import type { Piece } from '../core/markup.ts';

/** Texts and the few elements that may stand in them, each made by name: what a server sends is never HTML here. */
export const Pieces = ({ pieces }: { pieces: readonly Piece[] }) => <>{pieces.map(drawn)}</>;

function drawn(piece: Piece) {
  if (typeof piece === 'string') return piece;
  const inner = <Pieces pieces={piece.pieces} />;
  switch (piece.tag) {
    case 'a':
      return piece.href === undefined ? (
        inner
      ) : (
        <a href={piece.href} target="_blank" rel="noopener noreferrer nofollow">
          {inner}
        </a>
      );
    case 'b':
    case 'strong':
      return <strong>{inner}</strong>;
    case 'i':
    case 'em':
      return <em>{inner}</em>;
    case 'code':
      return <code>{inner}</code>;
    default:
      return inner;
  }
}

export const hasLink = (pieces: readonly Piece[]): boolean =>
  pieces.some((piece) => typeof piece !== 'string' && (piece.href !== undefined || hasLink(piece.pieces)));
