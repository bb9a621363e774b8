// Command goverify answers, for each trial on standard input, whether crypto/x509 (the verifier of
// kube-apiserver) trusts a server: one JSON object in, one JSON string out, empty where it does.
package main

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"os"
	"time"
)

type trial struct {
	Roots string    `json:"roots"` // PEM
	Chain string    `json:"chain"` // PEM, the server's certificate first
	Host  string    `json:"host"`
	Now   time.Time `json:"now"`
}

func main() {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var t trial
		if err := in.Decode(&t); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		verdict := ""
		if err := t.verify(); err != nil {
			verdict = err.Error()
		}
		if err := out.Encode(verdict); err != nil {
			log.Fatal(err)
		}
	}
}

// verify does what crypto/tls does with a server's certificates.
func (t trial) verify() error {
	roots, intermediates := x509.NewCertPool(), x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(t.Roots))
	chain, err := parse([]byte(t.Chain))
	if err != nil {
		return err
	}
	for _, certificate := range chain[1:] {
		intermediates.AddCert(certificate)
	}
	_, err = chain[0].Verify(x509.VerifyOptions{
		DNSName: t.Host, Roots: roots, Intermediates: intermediates, CurrentTime: t.Now,
	})
	return err
}

func parse(data []byte) ([]*x509.Certificate, error) {
	var chain []*x509.Certificate
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		chain = append(chain, certificate)
	}
	return chain, nil
}
