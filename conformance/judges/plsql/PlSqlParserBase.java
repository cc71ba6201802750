import java.util.Locale;
import java.util.Set;
import org.antlr.v4.runtime.Parser;
import org.antlr.v4.runtime.TokenStream;

/** What the parser's grammar asks of its base: everything that any version of Oracle has is taken. */
abstract class PlSqlParserBase extends Parser {
    private static final Set<String> JOINS =
            Set.of("CROSS", "FULL", "INNER", "JOIN", "LEFT", "NATURAL", "OUTER", "RIGHT");

    /** Functions that the grammar has a rule of their own for. */
    private static final Set<String> NUMERIC =
            Set.of("AVG", "COUNT", "GREATEST", "LEAST", "MAX", "MIN", "ROUND", "SUM");

    protected PlSqlParserBase(TokenStream input) {
        super(input);
    }

    protected boolean isVersion10() {
        return true;
    }

    protected boolean isVersion11() {
        return true;
    }

    protected boolean isVersion12() {
        return true;
    }

    /** Whether what follows a table is its alias, and not a join. */
    protected boolean isNotStartOfJoin() {
        String next = text(1);
        return !JOINS.contains(next) && !(next.equals("PARTITION") && text(2).equals("BY"));
    }

    protected boolean IsNotNumericFunction() {
        return !(NUMERIC.contains(text(1)) && text(2).equals("("));
    }

    private String text(int ahead) {
        String text = getTokenStream().LT(ahead).getText();
        return text == null ? "" : text.toUpperCase(Locale.ROOT);
    }
}
