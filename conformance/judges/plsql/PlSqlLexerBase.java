import org.antlr.v4.runtime.CharStream;
import org.antlr.v4.runtime.Lexer;

/** What the lexer's grammar asks of its base. */
abstract class PlSqlLexerBase extends Lexer {
    protected PlSqlLexerBase(CharStream input) {
        super(input);
    }

    /** Whether a line begins at that place before the next character: commands of SQL*Plus stand there only. */
    protected boolean IsNewlineAtPos(int place) {
        int before = _input.LA(place);
        return before == -1 || before == '\n';
    }
}
