"""The tables of a team's index on the server: steps from each version to the next, functions, and rights.

The schema of a team holds no text, no path and no name: chunks with their vectors, and contents with the lines of their
chunks, under hashes of proofs. A member sees the rows of what a clone of that member has proven, by row-level security.
What is proven, and what is published, goes through functions of the owner that check it.
"""

from __future__ import annotations

STEPS = (
    # 1: what is shared, and what each clone has proven.
    """
    CREATE TABLE content (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name bytea NOT NULL UNIQUE CHECK (length(name) = 16)
    );
    CREATE TABLE chunk (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name bytea NOT NULL UNIQUE CHECK (length(name) = 16),
        prefix {vectors}.halfvec(64) NOT NULL,
        value bytea NOT NULL CHECK (length(value) = 256)
    );
    CREATE TABLE piece (
        content bigint NOT NULL REFERENCES content ON DELETE CASCADE,
        line integer NOT NULL CHECK (line >= 0),
        end_line integer NOT NULL CHECK (end_line > line),
        chunk bigint NOT NULL REFERENCES chunk ON DELETE CASCADE,
        PRIMARY KEY (content, line)
    );
    CREATE INDEX piece_chunk ON piece (chunk);
    CREATE TABLE clone (
        member name NOT NULL,
        name bytea NOT NULL CHECK (length(name) = 16),
        root bytea NOT NULL CHECK (length(root) = 16),
        contents bigint[] NOT NULL,
        PRIMARY KEY (member, name)
    );
    CREATE INDEX clone_root ON clone (root);
    ALTER TABLE content ENABLE ROW LEVEL SECURITY;
    ALTER TABLE chunk ENABLE ROW LEVEL SECURITY;
    ALTER TABLE piece ENABLE ROW LEVEL SECURITY;
    ALTER TABLE clone ENABLE ROW LEVEL SECURITY;
    CREATE POLICY own ON clone FOR ALL TO {members} USING (member = session_user);
    CREATE POLICY proven ON content FOR SELECT TO {members} USING (id IN (SELECT unnest(contents) FROM clone));
    CREATE POLICY proven ON piece FOR SELECT TO {members} USING (content IN (SELECT unnest(contents) FROM clone));
    CREATE POLICY proven ON chunk FOR SELECT TO {members}
        USING (EXISTS (SELECT FROM piece WHERE piece.chunk = chunk.id));
    """,
    # 2: what was not used for long can be removed.
    """
    ALTER TABLE content ADD COLUMN used_on date NOT NULL DEFAULT current_date;
    ALTER TABLE chunk ADD COLUMN added_on date NOT NULL DEFAULT current_date;
    ALTER TABLE clone ADD COLUMN used_on date NOT NULL DEFAULT current_date;
    """,
)
"""The steps from an empty schema. A step that was released is never changed."""
VERSION = len(STEPS)
"""The version that this client speaks to."""

MAX_PROOFS = 400_000
"""Proofs of one call. An index has 200,000 files by default."""
MAX_PUT = 5_000
"""Chunks or pieces of one call that stores them."""

FUNCTIONS = (
    """
    FUNCTION team_version() RETURNS integer LANGUAGE sql STABLE SECURITY DEFINER AS
    $$ SELECT version FROM meta $$
    """,
    # Without proofs of contents, the root of another clone proves what that clone has proven. Before, nothing is held.
    """
    FUNCTION hold(clone_name bytea, root_proof bytea, proofs bytea[]) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER AS $$
    DECLARE
        found bigint[];
        root_name bytea := substr(sha256(root_proof), 1, 16);
    BEGIN
        IF cardinality(proofs) > {max_proofs} THEN
            RAISE EXCEPTION 'too many proofs';
        ELSIF proofs IS NULL THEN
            SELECT contents INTO found FROM clone WHERE root = root_name ORDER BY cardinality(contents) DESC LIMIT 1;
        ELSE
            SELECT array_agg(id ORDER BY id) INTO found FROM content
            WHERE name IN (SELECT substr(sha256(proof), 1, 16) FROM unnest(proofs) AS proof);
        END IF;
        found := coalesce(found, ARRAY[]::bigint[]);
        INSERT INTO clone AS own (member, name, root, contents)
        VALUES (session_user, clone_name, root_name, found)
        ON CONFLICT (member, name) DO UPDATE
        SET root = excluded.root, contents = excluded.contents, used_on = current_date;
        UPDATE content SET used_on = current_date WHERE id = ANY (found) AND used_on < current_date;
        RETURN cardinality(found);
    END $$
    """,
    """
    FUNCTION unknown_contents(proofs bytea[]) RETURNS SETOF integer LANGUAGE sql STABLE SECURITY DEFINER AS $$
        SELECT place::integer FROM unnest(proofs) WITH ORDINALITY AS given (proof, place)
        WHERE place <= {max_proofs}
        AND NOT EXISTS (SELECT FROM content WHERE name = substr(sha256(proof), 1, 16))
    $$
    """,
    """
    FUNCTION unknown_chunks(proofs bytea[]) RETURNS SETOF integer LANGUAGE sql STABLE SECURITY DEFINER AS $$
        SELECT place::integer FROM unnest(proofs) WITH ORDINALITY AS given (proof, place)
        WHERE place <= {max_proofs}
        AND NOT EXISTS (SELECT FROM chunk WHERE name = substr(sha256(proof), 1, 16))
    $$
    """,
    """
    FUNCTION vectors_of(proofs bytea[]) RETURNS TABLE (place integer, value bytea)
    LANGUAGE sql STABLE SECURITY DEFINER AS $$
        SELECT given.place::integer, chunk.value FROM unnest(proofs) WITH ORDINALITY AS given (proof, place)
        JOIN chunk ON chunk.name = substr(sha256(proof), 1, 16) WHERE given.place <= {max_put}
    $$
    """,
    # Rows are stored in the order of their names, so that two writers wait for each other and never both.
    """
    FUNCTION put_vectors(proofs bytea[], vectors bytea) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN
        IF cardinality(proofs) > {max_put} OR length(vectors) != 256 * cardinality(proofs) THEN
            RAISE EXCEPTION 'not one vector for each proof';
        END IF;
        INSERT INTO chunk (name, prefix, value)
        SELECT
            substr(sha256(proof), 1, 16) AS name,
            ARRAY(
                SELECT ((get_byte(vectors, (256 * (place - 1) + at)::integer) + 128) % 256 - 128)::real
                FROM generate_series(0, 63) AS at
            )::{vectors}.halfvec(64),
            substr(vectors, (256 * (place - 1) + 1)::integer, 256)
        FROM unnest(proofs) WITH ORDINALITY AS given (proof, place)
        WHERE length(proof) = 16
        ORDER BY name
        ON CONFLICT (name) DO NOTHING;
    END $$
    """,
    # A content gets its pieces in the same transaction, once. One with a chunk that the server lacks is left out.
    """
    FUNCTION put_contents(
        proofs bytea[], places integer[], lines integer[], end_lines integer[], chunks bytea[]
    ) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER AS $$
    DECLARE
        stored integer;
    BEGIN
        IF cardinality(places) > {max_put} OR cardinality(proofs) > {max_put} THEN
            RAISE EXCEPTION 'too many pieces';
        END IF;
        WITH given AS (
            SELECT DISTINCT ON (name) substr(sha256(proof), 1, 16) AS name, place
            FROM unnest(proofs) WITH ORDINALITY AS p (proof, place) WHERE length(proof) = 16 ORDER BY name
        ), part AS (
            SELECT p.place, p.line, p.end_line, chunk.id AS chunk
            FROM unnest(places, lines, end_lines, chunks) AS p (place, line, end_line, proof)
            LEFT JOIN chunk ON chunk.name = substr(sha256(p.proof), 1, 16)
        ), added AS (
            INSERT INTO content (name)
            SELECT name FROM given
            WHERE NOT EXISTS (SELECT FROM part WHERE part.place = given.place AND part.chunk IS NULL)
            ORDER BY name
            ON CONFLICT (name) DO NOTHING
            RETURNING id, name
        ), pieces AS (
            INSERT INTO piece (content, line, end_line, chunk)
            SELECT added.id, part.line, part.end_line, part.chunk
            FROM added JOIN given USING (name) JOIN part USING (place)
            ON CONFLICT (content, line) DO NOTHING
        )
        SELECT count(*) INTO stored FROM added;
        RETURN stored;
    END $$
    """,
)
"""The functions that members call, each as its definition behind `CREATE OR REPLACE`."""
CALLED = (
    "team_version()",
    "hold(bytea, bytea, bytea[])",
    "unknown_contents(bytea[])",
    "unknown_chunks(bytea[])",
    "vectors_of(bytea[])",
    "put_vectors(bytea[], bytea)",
    "put_contents(bytea[], integer[], integer[], integer[], bytea[])",
)
"""The signatures of these functions."""
READ = ("content", "chunk", "piece", "clone")
"""The tables that members may read, as far as row-level security lets them."""
